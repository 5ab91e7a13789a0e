package httpapi

import (
	"context"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// waitingPath names a message that waits.
type waitingPath struct {
	ID      string `path:"id" maxLength:"128"`
	Message string `path:"message" maxLength:"128"`
}

// waitingRoutes are the routes of messages that wait for a running turn.
func (s *Server) waitingRoutes() {
	const path = "/api/conversations/{id}/waiting/{message}"
	route.Add(s.api, http.MethodPatch, path, "Change a message that waits", http.StatusOK,
		func(ctx context.Context, in *struct {
			ID      string `path:"id" maxLength:"128"`
			Message string `path:"message" maxLength:"128"`
			Body    struct {
				Text string `json:"text,omitempty" maxLength:"200000"`
				When string `json:"when,omitempty" enum:"now,next"`
			}
		},
		) (*route.Body[event.Waiting], error) {
			w, err := s.rooms.Loop.UpdateWaiting(ctx, in.ID, in.Message, asking(ctx), in.Body.Text,
				event.Moment(in.Body.When))
			if err != nil {
				return nil, talkProblem(err)
			}
			return route.Answer(w), nil
		})
	route.Add(s.api, http.MethodDelete, path, "Remove a message that waits", http.StatusNoContent,
		func(ctx context.Context, in *waitingPath) (*route.Empty, error) {
			if err := s.rooms.Loop.DropWaiting(ctx, in.ID, in.Message, asking(ctx)); err != nil {
				return nil, talkProblem(err)
			}
			return nil, nil
		})
	route.Add(s.api, http.MethodPost, path+"/ask", "Ask a message that was kept", http.StatusAccepted,
		func(ctx context.Context, in *waitingPath) (*route.Body[TurnRef], error) {
			turn, err := s.rooms.Loop.SendWaiting(context.WithoutCancel(ctx), in.ID, in.Message, asking(ctx))
			if err != nil {
				return nil, talkProblem(err)
			}
			return route.Answer(TurnRef{Turn: turn}), nil
		})
}

// asking is who sends a request: a window is its person's, everything else a program.
func asking(ctx context.Context) toolspec.Caller {
	if access.IsWindow(ctx) {
		return toolspec.CallerModel
	}
	return toolspec.CallerHTTP
}
