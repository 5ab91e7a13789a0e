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

// answerInput is a person's answer about a changed panel; Hash names what they have read.
type answerInput struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Hash string `json:"hash" minLength:"64" maxLength:"64" doc:"The hash of the change that was shown"`
	}
}

// decideRoutes are what a person decides about panels. A program may not: what waits is the
// change that a program made, or what it would have its own panel do.
func (s *Server) decideRoutes() {
	const path = "/api/panels/{id}"
	route.Add(s.api, http.MethodPost, path+"/accept", "Take over the change of a panel that waits", http.StatusOK,
		func(ctx context.Context, in *answerInput) (*route.Body[event.PanelList], error) {
			return s.decide(ctx, s.rooms.Panels.Accept, in)
		})
	route.Add(s.api, http.MethodPost, path+"/decline", "Leave a panel as it was accepted", http.StatusOK,
		func(ctx context.Context, in *answerInput) (*route.Body[event.PanelList], error) {
			return s.decide(ctx, s.rooms.Panels.Decline, in)
		})
	route.Add(s.api, http.MethodPost, path+"/develop",
		"Take over changes of a panel's tools without asking until Sextant ends", http.StatusOK,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body struct {
				On bool `json:"on"`
			}
		},
		) (*route.Body[event.PanelList], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			return s.decided(s.rooms.Panels.Develop(ctx, in.ID, in.Body.On))
		})
	route.Add(s.api, http.MethodPost, path+"/pin", "Offer a panel's tools while another one is active, or no longer",
		http.StatusOK, func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body struct {
				Pinned bool `json:"pinned"`
			}
		},
		) (*route.Body[event.PanelList], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			return s.decided(s.rooms.Panels.Pin(ctx, in.ID, in.Body.Pinned))
		})
	route.Add(s.api, http.MethodPut, path+"/context", "What a panel shows now, for its tools", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body map[string]json.RawMessage
		},
		) (*route.Empty, error) {
			// What is filled in for a call must be what the person sees, so only the window says it.
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			switch err := s.rooms.Panels.Publish(in.ID, in.Body); {
			case errors.Is(err, registry.ErrNoPanel):
				return nil, route.NotFound(err.Error())
			case err != nil:
				return nil, route.BadRequest(err.Error())
			}
			return nil, nil
		})
}

func (s *Server) decide(ctx context.Context, do func(ctx context.Context, panel, hash string) error,
	in *answerInput,
) (*route.Body[event.PanelList], error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	return s.decided(do(ctx, in.ID, in.Body.Hash))
}

// decided answers with the panels as they are now.
func (s *Server) decided(err error) (*route.Body[event.PanelList], error) {
	switch {
	case errors.Is(err, registry.ErrNotPending):
		return nil, route.NotFound("This change does not wait any more. The panel shows what waits now.")
	case errors.Is(err, registry.ErrNoPanel):
		return nil, route.NotFound(err.Error())
	case err != nil:
		return nil, route.Failed("It could not be kept, so the panel is as it was.", err)
	}
	return route.Answer(event.PanelList{Panels: s.rooms.Panels.Panels()}), nil
}
