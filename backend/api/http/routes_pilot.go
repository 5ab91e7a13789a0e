package httpapi

import (
	"context"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/wire"
)

// pilotRoutes serve who writes commands.
func (s *Server) pilotRoutes() {
	route.Add(s.api, http.MethodGet, "/api/ai/pilot/grammar", "Every command of the command pilot", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[wire.PilotGrammar], error) {
			var names []string
			for _, d := range s.rooms.Tools.ForPanel(s.rooms.Base.ActivePanel()).All() {
				names = append(names, d.Name)
			}
			return route.Answer(wire.PilotGrammar{Commands: s.rooms.Pilot.Commands(names)}), nil
		})
	// It tells what stands in the workspace and on the page, as fast as one types and unasked.
	route.Add(s.api, http.MethodGet, "/api/ai/pilot/complete", "How a message to the command pilot may go on",
		http.StatusOK, func(ctx context.Context, in *struct {
			Text  string `query:"text" maxLength:"2000" doc:"What stands before the cursor."`
			Panel string `query:"panel" maxLength:"64"`
		},
		) (*route.Body[wire.Completion], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			return route.Answer(s.rooms.Pilot.Complete(in.Text, in.Panel)), nil
		})
}
