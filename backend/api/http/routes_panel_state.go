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

const maxPanelState = 256 << 10

// PanelState is the state that a panel's page stored, null if there is none.
type PanelState struct {
	State json.RawMessage `json:"state"`
}

func (s *Server) panelStateRoutes() {
	route.Add(s.api, http.MethodGet, "/api/panels/{id}/state", "The stored state of a panel's page", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[PanelState], error) {
			if err := s.checkPanel(in.ID); err != nil {
				return nil, err
			}
			state, ok, err := s.services.Store.PanelState(ctx, in.ID)
			if err != nil {
				return nil, route.InternalError("The panel's state could not be read.", err)
			}
			if !ok {
				state = "null"
			}
			return route.Answer(PanelState{State: json.RawMessage(state)}), nil
		})
	route.Add(s.api, http.MethodPut, "/api/panels/{id}/state", "Store the state of a panel's page",
		http.StatusNoContent, func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"128"`
			Body PanelState
		},
		) (*route.Empty, error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			if err := s.checkPanel(in.ID); err != nil {
				return nil, err
			}
			if len(in.Body.State) > maxPanelState {
				return nil, huma.NewError(http.StatusRequestEntityTooLarge,
					"A panel's state may have 256 KB of JSON. Store less, or store it in the panel's backend.")
			}
			if !json.Valid(in.Body.State) {
				return nil, route.BadRequest(`"state" is missing: any JSON value.`)
			}
			if err := s.services.Store.SetPanelState(ctx, in.ID, string(in.Body.State)); err != nil {
				return nil, route.InternalError("The panel's state could not be stored.", err)
			}
			return nil, nil
		})
}

func (s *Server) checkPanel(id string) error {
	if slices.ContainsFunc(s.services.Panels.Panels(), func(p event.Panel) bool { return p.ID == id }) {
		return nil
	}
	return huma.NewError(http.StatusNotFound, "There is no such panel. GET /api/panels lists the panels.")
}
