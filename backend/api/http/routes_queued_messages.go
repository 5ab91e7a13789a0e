package httpapi

import (
	"context"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

type waitingPath struct {
	ID      string `path:"id" maxLength:"128"`
	Message string `path:"message" maxLength:"128"`
}

func (s *Server) queuedMessageRoutes() {
	const path = "/api/conversations/{id}/waiting/{message}"
	route.Add(s.api, http.MethodPatch, path, "Change a queued message", http.StatusOK,
		func(ctx context.Context, in *struct {
			ID      string `path:"id" maxLength:"128"`
			Message string `path:"message" maxLength:"128"`
			Body    struct {
				Text string `json:"text,omitempty" maxLength:"200000"`
				When string `json:"when,omitempty" enum:"now,next"`
			}
		},
		) (*route.Body[event.WaitingMessage], error) {
			w, err := s.services.Loop.UpdateWaiting(ctx, in.ID, in.Message, callerOf(ctx), in.Body.Text,
				event.Moment(in.Body.When))
			if err != nil {
				return nil, messageProblem(err)
			}
			return route.Answer(w), nil
		})
	route.Add(s.api, http.MethodDelete, path, "Remove a queued message", http.StatusNoContent,
		func(ctx context.Context, in *waitingPath) (*route.Empty, error) {
			if err := s.services.Loop.DropWaiting(ctx, in.ID, in.Message, callerOf(ctx)); err != nil {
				return nil, messageProblem(err)
			}
			return nil, nil
		})
	route.Add(s.api, http.MethodPost, path+"/ask", "Send a queued message that was held back", http.StatusAccepted,
		func(ctx context.Context, in *waitingPath) (*route.Body[TurnRef], error) {
			turn, err := s.services.Loop.SendWaiting(context.WithoutCancel(ctx), in.ID, in.Message, callerOf(ctx))
			if err != nil {
				return nil, messageProblem(err)
			}
			return route.Answer(TurnRef{Turn: turn}), nil
		})
}

func callerOf(ctx context.Context) toolspec.Caller {
	if access.IsWindow(ctx) {
		return toolspec.CallerModel
	}
	return toolspec.CallerHTTP
}
