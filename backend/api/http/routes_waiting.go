package httpapi

import (
	"context"
	"net/http"

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
	add(s, http.MethodPatch, path, "Change a message that waits", http.StatusOK, func(ctx context.Context, in *struct {
		ID      string `path:"id" maxLength:"128"`
		Message string `path:"message" maxLength:"128"`
		Body    struct {
			Text string `json:"text,omitempty" maxLength:"200000"`
			When string `json:"when,omitempty" enum:"now,next"`
		}
	},
	) (*body[event.Waiting], error) {
		w, err := s.rooms.Loop.Change(ctx, in.ID, in.Message, asking(ctx), in.Body.Text, event.Moment(in.Body.When))
		if err != nil {
			return nil, talkProblem(err)
		}
		return answer(w), nil
	})
	add(s, http.MethodDelete, path, "Remove a message that waits", http.StatusNoContent, func(ctx context.Context, in *waitingPath) (*nothing, error) {
		if err := s.rooms.Loop.Drop(ctx, in.ID, in.Message, asking(ctx)); err != nil {
			return nil, talkProblem(err)
		}
		return nil, nil
	})
	add(s, http.MethodPost, path+"/ask", "Ask a message that was kept", http.StatusAccepted, func(ctx context.Context, in *waitingPath) (*body[TurnRef], error) {
		turn, err := s.rooms.Loop.AskWaiting(context.WithoutCancel(ctx), in.ID, in.Message, asking(ctx))
		if err != nil {
			return nil, talkProblem(err)
		}
		return answer(TurnRef{Turn: turn}), nil
	})
}

// asking is who sends a request: a window is its person's, everything else a program.
func asking(ctx context.Context) toolspec.Caller {
	if isWindow(ctx) {
		return toolspec.CallerModel
	}
	return toolspec.CallerHTTP
}
