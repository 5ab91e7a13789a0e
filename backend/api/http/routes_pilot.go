package httpapi

import (
	"context"
	"net/http"

	"sextant/shared/wire"
)

// pilotRoutes serve who writes commands.
func (s *Server) pilotRoutes() {
	add(s, http.MethodGet, "/api/ai/pilot/grammar", "Every command of the command pilot", http.StatusOK, func(context.Context, *nothing) (*body[wire.PilotGrammar], error) {
		var names []string
		for _, d := range s.rooms.Tools.Discover(s.rooms.Base.ActivePanel()).All() {
			names = append(names, d.Name)
		}
		return answer(wire.PilotGrammar{Commands: s.rooms.Pilot.Commands(names)}), nil
	})
	// It tells what stands in the workspace and on the page, as fast as one types and unasked.
	add(s, http.MethodGet, "/api/ai/pilot/complete", "How a message to the command pilot may go on", http.StatusOK, func(ctx context.Context, in *struct {
		Text  string `query:"text" maxLength:"2000" doc:"What stands before the cursor."`
		Panel string `query:"panel" maxLength:"64"`
	},
	) (*body[wire.Completion], error) {
		if err := personOnly(ctx); err != nil {
			return nil, err
		}
		return answer(s.rooms.Pilot.Complete(in.Text, in.Panel)), nil
	})
}
