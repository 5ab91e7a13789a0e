package httpapi

import (
	"context"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/wire"
)

func (s *Server) pilotRoutes() {
	route.Add(s.api, http.MethodGet, "/api/ai/pilot/grammar", "Every command of the command pilot", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[wire.PilotGrammar], error) {
			var names []string
			for _, d := range s.services.Catalog.ForPanel(s.services.Workspace.ActivePanel()).All() {
				names = append(names, d.Name)
			}
			return route.Answer(wire.PilotGrammar{Commands: s.services.Pilot.Commands(names)}), nil
		})
	// A completion contains names of files and elements, and the policy does not check it.
	route.Add(s.api, http.MethodGet, "/api/ai/pilot/complete", "Completions of a message to the command pilot",
		http.StatusOK, func(ctx context.Context, in *struct {
			Text  string `query:"text" maxLength:"2000" doc:"The text before the cursor."`
			Panel string `query:"panel" maxLength:"64"`
		},
		) (*route.Body[wire.Completion], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			return route.Answer(s.services.Pilot.Complete(in.Text, in.Panel)), nil
		})
}
