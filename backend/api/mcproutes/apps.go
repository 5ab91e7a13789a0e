package mcproutes

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/wire"
)

// Apps serves the pages of MCP servers (MCP Apps) to the window.
type Apps interface {
	Show(ctx context.Context, server, tool string) (wire.App, error)
	// AllowOrigins lets the pages of a server use origins, each with its use ("connect https://a.example").
	AllowOrigins(ctx context.Context, server string, uses []string) error
	AllowedOrigins(ctx context.Context, server string) ([]string, error)
	RevokeOrigin(ctx context.Context, server, use string) error
	Call(ctx context.Context, server, tool, conversation string, args json.RawMessage) json.RawMessage
	Read(ctx context.Context, server, uri string) (json.RawMessage, error)
	SetContext(server, conversation string, content, structured json.RawMessage) error
	WriteLog(server, line string) error
}

// RawAnswer is a result in MCP's form: the answer of the MCP server, or our text in its place.
type RawAnswer struct {
	Answer json.RawMessage `json:"answer"`
}

// AllowedOrigins lists the origins that the pages of a server may use, each with its use ("connect
// https://a.example").
type AllowedOrigins struct {
	Origins []string `json:"origins"`
}

func (r Routes) appRoutes(base string) {
	route.Add(r.API, http.MethodGet, base, "The page of an MCP server that shows calls of a tool", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Tool string `query:"tool" maxLength:"128"`
		},
		) (*route.Body[wire.App], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			app, err := r.Apps.Show(ctx, in.Name, in.Tool)
			if err != nil {
				return nil, huma.NewError(http.StatusBadGateway, err.Error())
			}
			return route.Answer(app), nil
		})
	route.Add(r.API, http.MethodPost, base+"/call", "Run a tool as the page of its MCP server", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				Tool         string          `json:"tool" maxLength:"128"`
				Args         json.RawMessage `json:"args,omitempty"`
				Conversation string          `json:"conversation,omitempty" maxLength:"128"`
			}
		},
		) (*route.Body[RawAnswer], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			b := in.Body
			return route.Answer(RawAnswer{Answer: r.Apps.Call(ctx, in.Name, b.Tool, b.Conversation, b.Args)}), nil
		})
	route.Add(r.API, http.MethodPost, base+"/read", "Read a resource as the page of its MCP server", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				URI string `json:"uri" maxLength:"2000"`
			}
		},
		) (*route.Body[RawAnswer], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			raw, err := r.Apps.Read(ctx, in.Name, in.Body.URI)
			if err != nil {
				return nil, huma.NewError(http.StatusBadGateway, err.Error())
			}
			return route.Answer(RawAnswer{Answer: raw}), nil
		})
	r.appOriginRoutes(base)
}

func (r Routes) appOriginRoutes(base string) {
	route.Add(r.API, http.MethodPut, base+"/domains", "Let the pages of an MCP server reach origins",
		http.StatusNoContent, func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				Origins []string `json:"origins" maxItems:"128"`
			}
		},
		) (*route.Empty, error) {
			return windowOnly(ctx, func() error { return r.Apps.AllowOrigins(ctx, in.Name, in.Body.Origins) })
		})
	route.Add(r.API, http.MethodGet, base+"/domains", "What the pages of an MCP server may reach", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
		},
		) (*route.Body[AllowedOrigins], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			uses, err := r.Apps.AllowedOrigins(ctx, in.Name)
			if err != nil {
				return nil, route.NotFound(err.Error())
			}
			return route.Answer(AllowedOrigins{Origins: append([]string{}, uses...)}), nil
		})
	route.Add(r.API, http.MethodDelete, base+"/domains", "Revoke what the pages of an MCP server may reach",
		http.StatusNoContent, func(ctx context.Context, in *struct {
			Name   string `path:"name" maxLength:"128"`
			Origin string `query:"origin" maxLength:"400"`
		},
		) (*route.Empty, error) {
			return windowOnly(ctx, func() error { return r.Apps.RevokeOrigin(ctx, in.Name, in.Origin) })
		})
	r.appContextRoutes(base)
}

func (r Routes) appContextRoutes(base string) {
	route.Add(r.API, http.MethodPut, base+"/context",
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
			return windowOnly(ctx, func() error {
				return r.Apps.SetContext(in.Name, b.Conversation, b.Content, b.Structured)
			})
		})
	route.Add(r.API, http.MethodPost, base+"/log", "A line that the page of an MCP server logs", http.StatusNoContent,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body struct {
				Line string `json:"line" maxLength:"4000"`
			}
		},
		) (*route.Empty, error) {
			return windowOnly(ctx, func() error { return r.Apps.WriteLog(in.Name, in.Body.Line) })
		})
}

func windowOnly(ctx context.Context, do func() error) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	if err := do(); err != nil {
		return nil, route.RequestError(err)
	}
	return nil, nil
}
