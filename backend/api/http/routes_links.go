package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"sextant/backend/api/access"
	"sextant/backend/api/mcproutes"
	"sextant/backend/api/route"
	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// Apps serves the pages of MCP servers, and the context and mail of panels' pages.
type Apps interface {
	mcproutes.Apps
	SetPanelContext(panel string, content, structured json.RawMessage) error
	OpenMail(address string) error
}

func (s *Server) linkRoutes() {
	route.Add(s.api, http.MethodPost, "/api/links", "Open an address that a page asked for and the person agreed to",
		http.StatusOK, access.WindowOnly(s.openLink))
	route.Add(s.api, http.MethodPost, "/api/mail", "Open the person's own program for mail", http.StatusNoContent,
		access.WindowOnly(func(_ context.Context, in *struct {
			Body struct {
				Address string `json:"address" maxLength:"2000"`
			}
		},
		) (*route.Empty, error) {
			if err := s.services.Apps.OpenMail(in.Body.Address); err != nil {
				return nil, route.RequestError(err)
			}
			return nil, nil
		}))
	route.Add(s.api, http.MethodPut, "/api/panels/{id}/model-context",
		"Set the text that a panel's page adds to the next turn", http.StatusNoContent,
		access.WindowOnly(func(_ context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body struct {
				Content    json.RawMessage `json:"content,omitempty"`
				Structured json.RawMessage `json:"structured,omitempty"`
			}
		},
		) (*route.Empty, error) {
			if err := s.checkPanel(in.ID); err != nil {
				return nil, err
			}
			if err := s.services.Apps.SetPanelContext(in.ID, in.Body.Content, in.Body.Structured); err != nil {
				return nil, route.RequestError(err)
			}
			return nil, nil
		}))
}

type linkInput struct {
	Body struct {
		URL    string `json:"url" maxLength:"2000"`
		Server string `json:"server,omitempty" maxLength:"128"`
		Panel  string `json:"panel,omitempty" maxLength:"64"`
	}
}

// openLink sets no TypedHosts: the person agreed to the address but did not type it.
func (s *Server) openLink(ctx context.Context, in *linkInput) (*route.Body[toolspec.Result], error) {
	u, err := url.Parse(in.Body.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, route.BadRequest("A page can open only http and https addresses.")
	}
	source := policy.AppSource(in.Body.Server)
	switch {
	case (in.Body.Server == "") == (in.Body.Panel == ""):
		return nil, route.BadRequest("Name either a server or a panel, not both.")
	case in.Body.Panel != "":
		source = policy.PanelSource(in.Body.Panel)
	}
	tool := s.services.Nav.EnvironmentTool("navigate")
	args, err := json.Marshal(map[string]string{"url": u.String()})
	if err != nil {
		return nil, route.RequestError(err)
	}
	return route.Answer(s.services.Pipeline.Do(ctx,
		toolspec.Call{Tool: tool, Args: args, Panel: s.panelOrActive(""), From: toolspec.Provenance{
			Caller: toolspec.CallerPerson, Interactive: true, Outside: []string{source},
		}})), nil
}
