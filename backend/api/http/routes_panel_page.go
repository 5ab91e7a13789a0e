package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/panels/settings"
	"sextant/shared/toolspec"
)

// panelCall is what a panel's page asks for; the window relays it, and its token is no reason to
// take it for the person's.
type panelCall struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Tool string          `json:"tool" doc:"A tool of the panel, or one that its manifest names in permissions.call_tools." maxLength:"128"`
		Args json.RawMessage `json:"args,omitempty" doc:"The tool's arguments, an object."`
	}
}

// panelOwnRoutes are what the pages of panels need.
func (s *Server) panelOwnRoutes() {
	route.Add(s.api, http.MethodPost, "/api/panels/{id}/call", "Run a tool as a panel's page", http.StatusOK,
		s.callAsPanel)
	route.Add(s.api, http.MethodGet, "/api/panels/{id}/config", "Settings of a panel", http.StatusOK, s.panelSettings)
	route.Add(s.api, http.MethodPut, "/api/panels/{id}/config", "Change settings of a panel", http.StatusOK,
		s.setPanelSettings)
}

// callAsPanel runs a tool as the panel's own call; one that failed is still 200, in the result form.
func (s *Server) callAsPanel(ctx context.Context, in *panelCall) (*route.Body[toolspec.Result], error) {
	if _, known := s.rooms.Panels.CallTools(in.ID); !known {
		return nil, route.NotFound("There is no panel " + in.ID +
			" that can be used. GET /api/panels lists the panels.")
	}
	return route.Answer(s.rooms.AsPanel(ctx, in.ID, in.Body.Tool, in.Body.Args)), nil
}

// panelSettings is the list of a panel's settings; values of sensitive ones are not in it.
type panelSettings struct {
	Settings []settings.PanelSetting `json:"settings"`
}

func (s *Server) panelSettings(ctx context.Context, in *route.ByID) (*route.Body[panelSettings], error) {
	list, known, err := s.rooms.Panels.Settings(ctx, in.ID)
	switch {
	case err != nil:
		return nil, route.Failed("The settings of the panel could not be read.", err)
	case !known:
		return nil, route.NotFound("There is no panel " + in.ID + " that can be used.")
	}
	return route.Answer(panelSettings{Settings: list}), nil
}

// setPanelSettings keeps values by name; null takes one back to its default.
func (s *Server) setPanelSettings(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Values map[string]json.RawMessage `json:"values"`
	}
},
) (*route.Body[panelSettings], error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	if err := s.rooms.Panels.SetSettings(ctx, in.ID, in.Body.Values); err != nil {
		return nil, route.Refused(err)
	}
	return s.panelSettings(ctx, &route.ByID{ID: in.ID})
}
