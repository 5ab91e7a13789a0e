package httpapi

import (
	"context"
	"errors"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/store/sqlite"
	"sextant/shared/toolspec"
)

// CreatedTools are the tools made of others, those that sleep too.
type CreatedTools struct {
	Tools []toolspec.CreatedTool `json:"tools"`
}

// createdRoutes are what a person does with created tools; they are made and called as any tool.
func (s *Server) createdRoutes() {
	const path = "/api/created-tools"
	route.Add(s.api, http.MethodGet, path, "Tools made of others, whole", http.StatusOK, s.createdTools)
	route.Add(s.api, http.MethodGet, path+"/{id}",
		"Every version of a created tool, the newest first, also of a deleted one", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[CreatedTools], error) {
			list, err := s.rooms.Store.CreatedVersions(ctx, in.ID)
			if err != nil {
				return nil, route.Failed("The created tools could not be read.", err)
			}
			if len(list) == 0 {
				return nil, route.NotFound("There was never a created tool of this name.")
			}
			return route.Answer(CreatedTools{Tools: list}), nil
		})
	route.Add(s.api, http.MethodPost, path+"/{id}/wake", "Let a tool be called that a person has read", http.StatusOK,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"128"`
			Body struct {
				Version int `json:"version" minimum:"1" doc:"The version that was read"`
			}
		},
		) (*route.Body[CreatedTools], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			return s.changeCreated(ctx, s.rooms.Created.Wake(ctx, in.ID, in.Body.Version))
		})
	route.Add(s.api, http.MethodDelete, path+"/{id}", "Take a created tool out of use; its versions stay",
		http.StatusOK, func(ctx context.Context, in *route.ByID) (*route.Body[CreatedTools], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			return s.changeCreated(ctx, s.rooms.Created.Delete(ctx, in.ID))
		})
}

func (s *Server) changeCreated(ctx context.Context, err error) (*route.Body[CreatedTools], error) {
	if errors.Is(err, sqlite.ErrNotFound) {
		return nil, route.NotFound("There is no such version of the tool any more. Read it again.")
	}
	if err != nil {
		return nil, route.Failed("Nothing was changed.", err)
	}
	return s.createdTools(ctx, nil)
}

func (s *Server) createdTools(context.Context, *route.Empty) (*route.Body[CreatedTools], error) {
	list := s.rooms.Created.All()
	if list == nil {
		list = []toolspec.CreatedTool{}
	}
	return route.Answer(CreatedTools{Tools: list}), nil
}
