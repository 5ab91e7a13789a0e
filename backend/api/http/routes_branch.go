package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/agent/loop"
	"sextant/backend/api/route"
)

func (s *Server) branchRoutes() {
	route.Add(s.api, http.MethodPost, "/api/conversations/{id}/branches",
		"Send a message again in a new branch, edited or to another model", http.StatusAccepted, s.startBranch)
	route.Add(s.api, http.MethodPut, "/api/conversations/{id}/branch", "Switch to another branch", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"128"`
			Body struct {
				Branch string `json:"branch" maxLength:"128" doc:"Its id, from branch.started; empty for the first branch"`
			}
		},
		) (*route.Empty, error) {
			if _, err := s.conversation(ctx, in.ID); err != nil {
				return nil, err
			}
			if err := s.services.Loop.ChooseBranch(ctx, in.ID, in.Body.Branch); err != nil {
				return nil, branchProblem(err)
			}
			return nil, nil
		})
}

func (s *Server) startBranch(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Message string `json:"message" minLength:"1" maxLength:"128" doc:"A message of the person in the branch that is shown"`
		Text    string `json:"text,omitempty" maxLength:"200000" doc:"What is asked instead; without it the same message is answered again"`
		Model   string `json:"model,omitempty" maxLength:"200"`
		Panel   string `json:"panel,omitempty" maxLength:"64"`
	}
},
) (*route.Body[TurnRef], error) {
	if _, err := s.conversation(ctx, in.ID); err != nil {
		return nil, err
	}
	ask := s.newAsk(ctx, in.ID, in.Body.Text, in.Body.Model, in.Body.Panel)
	begin := s.services.Loop.Edit
	if in.Body.Text == "" {
		begin = s.services.Loop.Retry
	}
	turn, err := begin(context.WithoutCancel(ctx), ask, in.Body.Message)
	if err != nil {
		return nil, branchProblem(err)
	}
	return route.Answer(TurnRef{Turn: turn}), nil
}

func branchProblem(err error) error {
	switch {
	case errors.Is(err, loop.ErrBusy):
		return huma.NewError(http.StatusConflict,
			"A turn is running in this conversation. Nothing changed. Stop it or wait for its end.")
	case errors.Is(err, loop.ErrNoMessage):
		return route.NotFound("The branch that is shown has no such message of the person. Choose the " +
			"message's branch first.")
	case errors.Is(err, loop.ErrNoBranch):
		return route.NotFound("There is no such branch in this conversation.")
	case errors.Is(err, loop.ErrEmpty), errors.Is(err, loop.ErrTooLong):
		return route.BadRequest(err.Error())
	}
	return route.InternalError("Nothing changed: the branch could not be stored.", err)
}
