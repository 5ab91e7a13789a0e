package httpapi

import (
	"context"
	"errors"
	"net/http"

	"sextant/backend/record/store"
	"sextant/shared/toolspec"
)

// CreatedTools are the tools made of others, those that sleep too.
type CreatedTools struct {
	Tools []toolspec.CreatedTool `json:"tools"`
}

// createdRoutes are what a person does with created tools; they are made and called as any tool.
func (s *Server) createdRoutes() {
	const path = "/api/created-tools"
	add(s, http.MethodGet, path, "Tools made of others, whole", http.StatusOK, s.createdTools)
	add(s, http.MethodGet, path+"/{id}", "Every version of a created tool, the newest first, also of a deleted one", http.StatusOK, func(ctx context.Context, in *idPath) (*body[CreatedTools], error) {
		list, err := s.rooms.Store.CreatedVersions(ctx, in.ID)
		if err != nil {
			return nil, failed("The created tools could not be read.", err)
		}
		if len(list) == 0 {
			return nil, notFound("There was never a created tool of this name.")
		}
		return answer(CreatedTools{Tools: list}), nil
	})
	add(s, http.MethodPost, path+"/{id}/wake", "Let a tool be called that a person has read", http.StatusOK, func(ctx context.Context, in *struct {
		ID   string `path:"id" maxLength:"128"`
		Body struct {
			Version int `json:"version" minimum:"1" doc:"The version that was read"`
		}
	},
	) (*body[CreatedTools], error) {
		if err := personOnly(ctx); err != nil {
			return nil, err
		}
		return s.changeCreated(ctx, s.rooms.Created.Wake(ctx, in.ID, in.Body.Version))
	})
	add(s, http.MethodDelete, path+"/{id}", "Take a created tool out of use; its versions stay", http.StatusOK, func(ctx context.Context, in *idPath) (*body[CreatedTools], error) {
		if err := personOnly(ctx); err != nil {
			return nil, err
		}
		return s.changeCreated(ctx, s.rooms.Created.Delete(ctx, in.ID))
	})
}

func (s *Server) changeCreated(ctx context.Context, err error) (*body[CreatedTools], error) {
	if errors.Is(err, store.ErrNotFound) {
		return nil, notFound("There is no such version of the tool any more. Read it again.")
	}
	if err != nil {
		return nil, failed("Nothing was changed.", err)
	}
	return s.createdTools(ctx, nil)
}

func (s *Server) createdTools(context.Context, *nothing) (*body[CreatedTools], error) {
	list := s.rooms.Created.All()
	if list == nil {
		list = []toolspec.CreatedTool{}
	}
	return answer(CreatedTools{Tools: list}), nil
}
