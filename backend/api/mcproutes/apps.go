package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/policy"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Apps are the pages of MCP servers, as the window shows them.
type Apps interface {
	Show(ctx context.Context, server, tool string) (wire.App, error)
	Allow(ctx context.Context, server string, uses []string) error
	Reach(ctx context.Context, server string) ([]string, error)
	Revoke(ctx context.Context, server, use string) error
	Call(ctx context.Context, server, tool, conversation string, args json.RawMessage) json.RawMessage
	Read(ctx context.Context, server, uri string) (json.RawMessage, error)
	Tell(server, conversation string, content, structured json.RawMessage) error
	TellAsPanel(panel string, content, structured json.RawMessage) error
	Note(server, line string) error
	Mail(address string) error
}

// RawAnswer is an answer of an MCP server as it gave it.
type RawAnswer struct {
	Answer json.RawMessage `json:"answer"`
}

// Reached is what the pages of a server may reach, each origin with what for: "connect https://a.example".
type Reached struct {
	Origins []string `json:"origins"`
}

// appRoutes are what the window asks on behalf of the page of an MCP server. Nobody else may: a call
// that is made here counts as the page's.
func (s *Server) appRoutes() {
	const base = "/api/mcp-servers/{name}/app"
	route.Add(s.api, http.MethodGet, base, "The page of an MCP server that shows calls of a tool", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Tool string `query:"tool" maxLength:"128"`
		},
		) (*route.Body[wire.App], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			app, err := s.rooms.Apps.Show(ctx, in.Name, in.Tool)
			if err != nil {
				return nil, huma.NewError(http.StatusBadGateway, err.Error())
			}
			return route.Answer(app), nil
		})
	route.Add(s.api, http.MethodPost, base+"/call", "Run a tool as the page of its MCP server", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				Tool         string          `json:"tool" maxLength:"128"`
				Args         json.RawMessage `json:"args,omitempty"`
				Conversation string          `json:"conversation,omitempty" maxLength:"128"`
			}
		},
		) (*route.Body[RawAnswer], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			b := in.Body
			return route.Answer(RawAnswer{Answer: s.rooms.Apps.Call(ctx, in.Name, b.Tool, b.Conversation, b.Args)}), nil
		})
	route.Add(s.api, http.MethodPost, base+"/read", "Read a resource as the page of its MCP server", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				URI string `json:"uri" maxLength:"2000"`
			}
		},
		) (*route.Body[RawAnswer], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			raw, err := s.rooms.Apps.Read(ctx, in.Name, in.Body.URI)
			if err != nil {
				return nil, huma.NewError(http.StatusBadGateway, err.Error())
			}
			return route.Answer(RawAnswer{Answer: raw}), nil
		})
	s.appWordRoutes(base)
}

// appWordRoutes take what a page says, and what the person says of it.
func (s *Server) appWordRoutes(base string) {
	route.Add(s.api, http.MethodPut, base+"/domains", "Let the pages of an MCP server reach origins",
		http.StatusNoContent, func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				Origins []string `json:"origins" maxItems:"128"`
			}
		},
		) (*route.Empty, error) {
			return s.word(ctx, func() error { return s.rooms.Apps.Allow(ctx, in.Name, in.Body.Origins) })
		})
	route.Add(s.api, http.MethodGet, base+"/domains", "What the pages of an MCP server may reach", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
		},
		) (*route.Body[Reached], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			uses, err := s.rooms.Apps.Reach(ctx, in.Name)
			if err != nil {
				return nil, route.NotFound(err.Error())
			}
			return route.Answer(Reached{Origins: append([]string{}, uses...)}), nil
		})
	route.Add(s.api, http.MethodDelete, base+"/domains", "Take back what the pages of an MCP server may reach",
		http.StatusNoContent, func(ctx context.Context, in *struct {
			Name   string `path:"name" maxLength:"128"`
			Origin string `query:"origin" maxLength:"400"`
		},
		) (*route.Empty, error) {
			return s.word(ctx, func() error { return s.rooms.Apps.Revoke(ctx, in.Name, in.Origin) })
		})
	s.appContextRoutes(base)
}

// appContextRoutes take what a page tells the model, logs, and asks to open.
func (s *Server) appContextRoutes(base string) {
	route.Add(s.api, http.MethodPut, base+"/context",
		"What the page of an MCP server tells the model with the next turn", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				Conversation string          `json:"conversation" maxLength:"128"`
				Content      json.RawMessage `json:"content,omitempty"`
				Structured   json.RawMessage `json:"structured,omitempty"`
			}
		},
		) (*route.Empty, error) {
			b := in.Body
			return s.word(ctx, func() error {
				return s.rooms.Apps.Tell(in.Name, b.Conversation, b.Content,
					b.Structured)
			})
		})
	route.Add(s.api, http.MethodPut, "/api/panels/{id}/model-context",
		"What a panel's page tells the model with the next turn", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			ID   string `path:"id" maxLength:"64"`
			Body struct {
				Content    json.RawMessage `json:"content,omitempty"`
				Structured json.RawMessage `json:"structured,omitempty"`
			}
		},
		) (*route.Empty, error) {
			if err := s.knownPanel(in.ID); err != nil {
				return nil, err
			}
			return s.word(ctx, func() error {
				return s.rooms.Apps.TellAsPanel(in.ID, in.Body.Content,
					in.Body.Structured)
			})
		})
	route.Add(s.api, http.MethodPost, base+"/log", "A line that the page of an MCP server logs", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				Line string `json:"line" maxLength:"4000"`
			}
		},
		) (*route.Empty, error) {
			return s.word(ctx, func() error { return s.rooms.Apps.Note(in.Name, in.Body.Line) })
		})
	route.Add(s.api, http.MethodPost, "/api/links", "Open an address that a page asked for and the person agreed to",
		http.StatusOK, s.openLink)
	route.Add(s.api, http.MethodPost, "/api/mail", "Open the person's own program for mail", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			Body struct {
				Address string `json:"address" maxLength:"2000"`
			}
		},
		) (*route.Empty, error) {
			return s.word(ctx, func() error { return s.rooms.Apps.Mail(in.Body.Address) })
		})
}

// word does what only a window may.
func (s *Server) word(ctx context.Context, do func() error) (*route.Empty, error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	if err := do(); err != nil {
		return nil, route.Refused(err)
	}
	return nil, nil
}

// linkInput is an address that the page of a server or of a panel asks to open.
type linkInput struct {
	Body struct {
		URL    string `json:"url" maxLength:"2000"`
		Server string `json:"server,omitempty" maxLength:"128"`
		Panel  string `json:"panel,omitempty" maxLength:"64"`
	}
}

// openLink opens an address in the browser. The person agreed to it and did not type it: unlike one in
// the address bar it opens no host of this machine or of a private network.
func (s *Server) openLink(ctx context.Context, in *linkInput) (*route.Body[toolspec.Result], error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	u, err := url.Parse(in.Body.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, route.BadRequest("A page opens an http or https address.")
	}
	source := policy.AppSource(in.Body.Server)
	switch {
	case (in.Body.Server == "") == (in.Body.Panel == ""):
		return nil, route.BadRequest("Either a server or a panel asks for an address.")
	case in.Body.Panel != "":
		source = policy.PanelSource(in.Body.Panel)
	}
	tool := s.rooms.Nav.Tool("navigate")
	args, err := json.Marshal(map[string]string{"url": u.String()})
	if err != nil {
		return nil, route.Refused(err)
	}
	return route.Answer(s.rooms.Calls.Do(ctx,
		toolspec.Call{Tool: tool, Args: args, Panel: s.panel(""), From: toolspec.Provenance{
			Caller: toolspec.CallerPerson, Interactive: true, Outside: []string{source},
		}})), nil
}
