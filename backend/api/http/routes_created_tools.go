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

// CreatedTools lists created tools, or the versions of one.
type CreatedTools struct {
	Tools []toolspec.CreatedTool `json:"tools"`
}

func (s *Server) createdToolRoutes() {
	const path = "/api/created-tools"
	route.Add(s.api, http.MethodGet, path, "Created tools with their source", http.StatusOK, s.createdTools)
	route.Add(s.api, http.MethodGet, path+"/{id}",
		"Every version of a created tool, the newest first, also of a deleted one", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[CreatedTools], error) {
			list, err := s.services.Store.CreatedToolVersions(ctx, in.ID)
			if err != nil {
				return nil, route.InternalError("The created tools could not be read.", err)
			}
			if len(list) == 0 {
				return nil, route.NotFound("There was never a created tool with this name.")
			}
			return route.Answer(CreatedTools{Tools: list}), nil
		})
	route.Add(s.api, http.MethodPost, path+"/{id}/enable", "Enable a created tool that the person has reviewed",
		http.StatusOK, func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"128"`
			Body struct {
				Version int `json:"version" minimum:"1" doc:"The version that was read"`
			}
		},
		) (*route.Body[CreatedTools], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			return s.changeCreated(ctx, s.services.CreatedTools.MarkReviewed(ctx, in.ID, in.Body.Version))
		})
	route.Add(s.api, http.MethodDelete, path+"/{id}", "Delete a created tool; its versions stay",
		http.StatusOK, func(ctx context.Context, in *route.ByID) (*route.Body[CreatedTools], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			return s.changeCreated(ctx, s.services.CreatedTools.Delete(ctx, in.ID))
		})
}

func (s *Server) changeCreated(ctx context.Context, err error) (*route.Body[CreatedTools], error) {
	if errors.Is(err, sqlite.ErrNotFound) {
		return nil, route.NotFound("This version of the tool no longer exists. Read it again.")
	}
	if err != nil {
		return nil, route.InternalError("Nothing was changed.", err)
	}
	return s.createdTools(ctx, nil)
}

func (s *Server) createdTools(context.Context, *route.Empty) (*route.Body[CreatedTools], error) {
	list := s.services.CreatedTools.All()
	if list == nil {
		list = []toolspec.CreatedTool{}
	}
	return route.Answer(CreatedTools{Tools: list}), nil
}
