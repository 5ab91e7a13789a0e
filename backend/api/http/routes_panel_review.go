package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/panels/registry"
	"sextant/shared/event"
)

type answerInput struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Hash string `json:"hash" minLength:"64" maxLength:"64" doc:"The hash of the change that was shown"`
	}
}

// panelReviewRoutes lets no program decide, because it may have made the change.
func (s *Server) panelReviewRoutes() {
	const path = "/api/panels/{id}"
	route.Add(s.api, http.MethodPost, path+"/accept", "Accept the pending change of a panel", http.StatusOK,
		func(ctx context.Context, in *answerInput) (*route.Body[event.PanelList], error) {
			return s.reviewPanel(ctx, s.services.Panels.Accept, in)
		})
	route.Add(s.api, http.MethodPost, path+"/decline", "Decline the pending change of a panel", http.StatusOK,
		func(ctx context.Context, in *answerInput) (*route.Body[event.PanelList], error) {
			return s.reviewPanel(ctx, s.services.Panels.Decline, in)
		})
	route.Add(s.api, http.MethodPost, path+"/develop",
		"Accept changes of a panel's tools without asking until Sextant ends", http.StatusOK,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body struct {
				On bool `json:"on"`
			}
		},
		) (*route.Body[event.PanelList], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			return s.reviewedPanels(s.services.Panels.SetDeveloping(ctx, in.ID, in.Body.On))
		})
	route.Add(s.api, http.MethodPost, path+"/pin",
		"Keep a panel's tools available while another panel is active, or not",
		http.StatusOK, func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body struct {
				Pinned bool `json:"pinned"`
			}
		},
		) (*route.Body[event.PanelList], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			return s.reviewedPanels(s.services.Panels.SetPinned(ctx, in.ID, in.Body.Pinned))
		})
	route.Add(s.api, http.MethodPut, path+"/context", "What a panel shows now, for its tools", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body map[string]json.RawMessage
		},
		) (*route.Empty, error) {
			// Arguments of calls are filled in from the context, so it must be what the person sees.
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			switch err := s.services.Panels.PublishContext(in.ID, in.Body); {
			case errors.Is(err, registry.ErrNoPanel):
				return nil, route.NotFound(err.Error())
			case err != nil:
				return nil, route.BadRequest(err.Error())
			}
			return nil, nil
		})
}

func (s *Server) reviewPanel(ctx context.Context, do func(ctx context.Context, panel, hash string) error,
	in *answerInput,
) (*route.Body[event.PanelList], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	return s.reviewedPanels(do(ctx, in.ID, in.Body.Hash))
}

func (s *Server) reviewedPanels(err error) (*route.Body[event.PanelList], error) {
	switch {
	case errors.Is(err, registry.ErrNotPending):
		return nil, route.NotFound("This change is no longer pending. The panel shows the pending one.")
	case errors.Is(err, registry.ErrNoPanel):
		return nil, route.NotFound(err.Error())
	case err != nil:
		return nil, route.InternalError("The decision could not be stored, so the panel did not change.", err)
	}
	return route.Answer(event.PanelList{Panels: s.services.Panels.Panels()}), nil
}
