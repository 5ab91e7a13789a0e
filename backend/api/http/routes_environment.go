package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"sextant/backend/api/route"
	"sextant/backend/panels/view"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// argsInput is a route whose whole body is a tool's arguments.
type argsInput struct {
	Client string          `header:"X-Client-Name" maxLength:"80"`
	Body   json.RawMessage `required:"false"`
}

// toolRoute serves POST path as one tool whose arguments are the body.
func (s *Server) toolRoute(method, path, tool string) {
	route.Add(s.api, method, path, "Runs "+tool, http.StatusOK,
		func(ctx context.Context, in *argsInput) (*route.Body[toolspec.Result], error) {
			panel, args := withoutPanel(in.Body)
			return s.run(ctx, in.Client, tool, panel, args), nil
		})
}

// withoutPanel takes panelId, which says whose tools are in scope, out of a body whose
// other members are the tool's arguments. A body that is no object stays as it is: the
// Pipeline says what is wrong with it.
func withoutPanel(raw json.RawMessage) (panel string, args json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members["panelId"] == nil {
		return "", raw
	}
	_ = json.Unmarshal(members["panelId"], &panel) // not a string means the active panel
	delete(members, "panelId")
	args, err := json.Marshal(members)
	if err != nil {
		return panel, raw
	}
	return panel, args
}

// environmentRoutes derive every environment command's route from the map (B9).
func (s *Server) environmentRoutes() {
	for _, c := range s.rooms.Nav.Environment {
		s.toolRoute(http.MethodPost, s.rooms.Nav.EnvironmentPath(c.Command), c.Tool)
	}
}

// panelInput names a panel; panelId is accepted too, as tools/execute spells it.
type panelInput struct {
	Client string `header:"X-Client-Name" maxLength:"80"`
	Body   struct {
		Panel   string `json:"panel,omitempty" maxLength:"64"`
		PanelID string `json:"panelId,omitempty" maxLength:"64"`
	}
}

// panelPage names a panel in the path.
type panelPage struct {
	ID string `path:"id" maxLength:"64"`
}

// id is whichever spelling was sent.
func (p *panelInput) id() string {
	if p.Body.Panel != "" {
		return p.Body.Panel
	}
	return p.Body.PanelID
}

// panelRoutes are B11's panel and note routes: each is one tool.
func (s *Server) panelRoutes() {
	nav := s.rooms.Nav
	m, p := nav.Route("panel_open")
	route.Add(s.api, m, p, "Open a panel", http.StatusOK,
		func(ctx context.Context, in *panelInput) (*route.Body[toolspec.Result], error) {
			if in.id() == "" {
				return nil, route.BadRequest(`"panel" is missing. GET /api/panels lists the panels.`)
			}
			return s.run(ctx, in.Client, nav.OpenTool(in.id()), "", nil), nil
		})
	for _, e := range nav.Navigation {
		m, p = nav.Route(e.Route)
		route.Add(s.api, m, p, "Runs "+e.Tool, http.StatusOK,
			func(ctx context.Context, in *panelInput) (*route.Body[toolspec.Result], error) {
				args := json.RawMessage(`{}`)
				if in.id() != "" {
					args, _ = json.Marshal(map[string]string{"panel": in.id()}) // a string map always marshals
				}
				return s.run(ctx, in.Client, e.Tool, "", args), nil
			})
	}
	m, p = nav.Route("prompt_notes")
	s.toolRoute(m, p, "enhance_baseline_prompt")
	m, p = nav.Route("developer_notes")
	s.toolRoute(m, p, "developer_note")
	route.Add(s.api, http.MethodGet, "/api/panels", "Every panel with its tools and problems", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[event.PanelList], error) {
			return route.Answer(event.PanelList{Panels: s.rooms.Panels.Panels()}), nil
		})
	route.Add(s.api, http.MethodGet, "/api/panels/{id}/page", "A panel's declarative page", http.StatusOK,
		func(_ context.Context, in *panelPage) (*route.Body[view.Tree], error) {
			page, ok := s.rooms.Panels.Page(in.ID)
			if !ok {
				return nil, route.NotFound("the panel has no declarative page that can be shown. GET /api/panels " +
					"tells " +
					"its problems.")
			}
			return route.Answer(page), nil
		})
}
