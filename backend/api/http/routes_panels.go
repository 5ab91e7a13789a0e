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

type panelInput struct {
	Client string `header:"X-Client-Name" maxLength:"80"`
	Body   struct {
		Panel   string `json:"panel,omitempty" maxLength:"64"`
		PanelID string `json:"panelId,omitempty" maxLength:"64"`
	}
}

type panelPage struct {
	ID string `path:"id" maxLength:"64"`
}

func (p *panelInput) id() string {
	if p.Body.Panel != "" {
		return p.Body.Panel
	}
	return p.Body.PanelID
}

func (s *Server) panelRoutes() {
	nav := s.services.Nav
	m, p := nav.Route("panel_open")
	route.Add(s.api, m, p, "Open a panel", http.StatusOK,
		func(ctx context.Context, in *panelInput) (*route.Body[toolspec.Result], error) {
			if in.id() == "" {
				return nil, route.BadRequest(`"panel" is missing. GET /api/panels lists the panels.`)
			}
			return s.runTool(ctx, in.Client, nav.OpenTool(in.id()), "", nil), nil
		})
	for _, e := range nav.Navigation {
		m, p = nav.Route(e.Route)
		route.Add(s.api, m, p, "Runs "+e.Tool, http.StatusOK,
			func(ctx context.Context, in *panelInput) (*route.Body[toolspec.Result], error) {
				args := json.RawMessage(`{}`)
				if in.id() != "" {
					args, _ = json.Marshal(map[string]string{"panel": in.id()}) // a string map always marshals
				}
				return s.runTool(ctx, in.Client, e.Tool, "", args), nil
			})
	}
	m, p = nav.Route("prompt_notes")
	s.toolRoute(m, p, "enhance_baseline_prompt")
	m, p = nav.Route("developer_notes")
	s.toolRoute(m, p, "developer_note")
	route.Add(s.api, http.MethodGet, "/api/panels", "Every panel with its tools and problems", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[event.PanelList], error) {
			return route.Answer(event.PanelList{Panels: s.services.Panels.Panels()}), nil
		})
	route.Add(s.api, http.MethodGet, "/api/panels/{id}/page", "A panel's declarative page", http.StatusOK,
		func(_ context.Context, in *panelPage) (*route.Body[view.Tree], error) {
			page, ok := s.services.Panels.Page(in.ID)
			if !ok {
				return nil, route.NotFound("The panel has no declarative page that can be shown. GET /api/panels " +
					"lists its problems.")
			}
			return route.Answer(page), nil
		})
}
