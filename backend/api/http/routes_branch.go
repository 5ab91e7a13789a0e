package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/agent/loop"
	"sextant/backend/api/route"
)

// branchRoutes are the routes by which a conversation goes on in another way.
func (s *Server) branchRoutes() {
	route.Add(s.api, http.MethodPost, "/api/conversations/{id}/branches",
		"Ask a message again, with other words or another model, in a new branch", http.StatusAccepted, s.branch)
	route.Add(s.api, http.MethodPut, "/api/conversations/{id}/branch", "Go on in another branch", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"128"`
			Body struct {
				Branch string `json:"branch" maxLength:"128" doc:"Its id, as branch.started told it; empty for the way the conversation went at first"`
			}
		},
		) (*route.Empty, error) {
			if _, err := s.conversation(ctx, in.ID); err != nil {
				return nil, err
			}
			if err := s.rooms.Loop.Choose(ctx, in.ID, in.Body.Branch); err != nil {
				return nil, branchProblem(err)
			}
			return nil, nil
		})
}

func (s *Server) branch(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Message string `json:"message" minLength:"1" maxLength:"128" doc:"A person's message in the branch that is shown"`
		Text    string `json:"text,omitempty" maxLength:"200000" doc:"What is asked in its place; without it the same question is answered again"`
		Model   string `json:"model,omitempty" maxLength:"200"`
		Panel   string `json:"panel,omitempty" maxLength:"64"`
	}
},
) (*route.Body[TurnRef], error) {
	if _, err := s.conversation(ctx, in.ID); err != nil {
		return nil, err
	}
	ask := s.asked(ctx, in.ID, in.Body.Text, in.Body.Model, in.Body.Panel)
	begin := s.rooms.Loop.Edit
	if in.Body.Text == "" {
		begin = s.rooms.Loop.Retry
	}
	turn, err := begin(context.WithoutCancel(ctx), ask, in.Body.Message)
	if err != nil {
		return nil, branchProblem(err)
	}
	return route.Answer(TurnRef{Turn: turn}), nil
}

// branchProblem is the answer to a branch that was not begun or chosen.
func branchProblem(err error) error {
	switch {
	case errors.Is(err, loop.ErrBusy):
		return huma.NewError(http.StatusConflict,
			"A turn is running in this conversation. Nothing changed. Stop it or wait for its end.")
	case errors.Is(err, loop.ErrNoQuestion):
		return route.NotFound("The branch that is shown has no such message of a person. Choose the message's " +
			"branch first.")
	case errors.Is(err, loop.ErrNoBranch):
		return route.NotFound("There is no such branch in this conversation.")
	case errors.Is(err, loop.ErrEmpty), errors.Is(err, loop.ErrTooLong):
		return route.BadRequest(err.Error())
	}
	return route.Failed("Nothing changed: the branch could not be kept.", err)
}
