package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/event"
)

// maxPanelState bounds what the page of a panel may have kept.
const maxPanelState = 256 << 10

// PanelState is what a panel's page asked to keep, null before anything was kept.
type PanelState struct {
	State json.RawMessage `json:"state"`
}

// pageRoutes are what the window asks on behalf of a panel's page.
func (s *Server) pageRoutes() {
	route.Add(s.api, http.MethodGet, "/api/panels/{id}/state", "What a panel's page had kept", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[PanelState], error) {
			if err := s.knownPanel(in.ID); err != nil {
				return nil, err
			}
			state, ok, err := s.rooms.Store.PanelState(ctx, in.ID)
			if err != nil {
				return nil, route.Failed("The panel's state could not be read.", err)
			}
			if !ok {
				state = "null"
			}
			return route.Answer(PanelState{State: json.RawMessage(state)}), nil
		})
	route.Add(s.api, http.MethodPut, "/api/panels/{id}/state", "Keep something for a panel's page",
		http.StatusNoContent, func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"128"`
			Body PanelState
		},
		) (*route.Empty, error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			if err := s.knownPanel(in.ID); err != nil {
				return nil, err
			}
			if len(in.Body.State) > maxPanelState {
				return nil, huma.NewError(http.StatusRequestEntityTooLarge,
					"A panel's state may have 256 KB of JSON. Keep less, or keep it in the panel's backend.")
			}
			if !json.Valid(in.Body.State) {
				return nil, route.BadRequest(`"state" is missing: any JSON value.`)
			}
			if err := s.rooms.Store.SetPanelState(ctx, in.ID, string(in.Body.State)); err != nil {
				return nil, route.Failed("The panel's state could not be kept.", err)
			}
			return nil, nil
		})
}

func (s *Server) knownPanel(id string) error {
	if slices.ContainsFunc(s.rooms.Panels.Panels(), func(p event.Panel) bool { return p.ID == id }) {
		return nil
	}
	return huma.NewError(http.StatusNotFound, "There is no such panel. GET /api/panels lists the panels.")
}
