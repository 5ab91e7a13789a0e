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

// panelCall is relayed by the window, but counts as the panel's call and not as the person's.
type panelCall struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Tool string          `json:"tool" doc:"A tool of the panel, or one that its manifest names in permissions.call_tools." maxLength:"128"`
		Args json.RawMessage `json:"args,omitempty" doc:"The tool's arguments, an object."`
	}
}

func (s *Server) panelPageRoutes() {
	route.Add(s.api, http.MethodPost, "/api/panels/{id}/call", "Run a tool as a panel's page", http.StatusOK,
		s.callAsPanel)
	route.Add(s.api, http.MethodGet, "/api/panels/{id}/config", "Settings of a panel", http.StatusOK, s.panelSettings)
	route.Add(s.api, http.MethodPut, "/api/panels/{id}/config", "Change settings of a panel", http.StatusOK,
		s.setPanelSettings)
}

func (s *Server) callAsPanel(ctx context.Context, in *panelCall) (*route.Body[toolspec.Result], error) {
	if _, known := s.services.Panels.CallTools(in.ID); !known {
		return nil, route.NotFound("There is no panel " + in.ID +
			" that can be used. GET /api/panels lists the panels.")
	}
	return route.Answer(s.services.CallAsPanel(ctx, in.ID, in.Body.Tool, in.Body.Args)), nil
}

type panelSettings struct {
	Settings []settings.PanelSetting `json:"settings"`
}

func (s *Server) panelSettings(ctx context.Context, in *route.ByID) (*route.Body[panelSettings], error) {
	list, known, err := s.services.Panels.Settings(ctx, in.ID)
	switch {
	case err != nil:
		return nil, route.InternalError("The settings of the panel could not be read.", err)
	case !known:
		return nil, route.NotFound("There is no panel " + in.ID + " that can be used.")
	}
	return route.Answer(panelSettings{Settings: list}), nil
}

func (s *Server) setPanelSettings(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Values map[string]json.RawMessage `json:"values"`
	}
},
) (*route.Body[panelSettings], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	if err := s.services.Panels.SetSettings(ctx, in.ID, in.Body.Values); err != nil {
		return nil, route.RequestError(err)
	}
	return s.panelSettings(ctx, &route.ByID{ID: in.ID})
}
