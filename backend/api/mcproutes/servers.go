// Package mcproutes holds the HTTP routes about MCP servers: their list, their entries in mcp-config.json, importing
// from
// other programs, and what a server offers beside tools (resources, prompts, completion).
package mcproutes

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/mcp/client"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/importers"
	"sextant/backend/mcp/launch"
	"sextant/shared/event"
)

// Routes are the routes about MCP servers.
type Routes struct {
	API huma.API
	MCP *mcp.Servers
	// Foreign reads other programs' lists of MCP servers.
	Foreign func() importers.Reader
}

// serverPath is a route with the name of an MCP server.
type serverPath struct {
	Name string `path:"name" maxLength:"128"`
}

// MCPServerDetail is what the panel of MCP servers shows of one: its entry in the config and the end
// of what it wrote to its standard error.
type MCPServerDetail struct {
	Entry mcpconfig.Entry `json:"entry"`
	Log   string          `json:"log"`
	// May is what its program may touch.
	May launch.Access `json:"may"`
}

// MCPImported says which servers were added, all switched off, and which were there already.
type MCPImported struct {
	Added   []string `json:"added"`
	Skipped []string `json:"skipped"`
}

// entryBody is a server as a person writes it.
type entryBody struct {
	Name  string          `json:"name,omitempty" maxLength:"64"`
	Entry mcpconfig.Entry `json:"entry"`
}

// serverRoutes are for the panel of MCP servers. A server is a command that runs here, so that only
// the person adds and changes one.
func (s Routes) Register() {
	list := func() *route.Body[event.MCPList] {
		return route.Answer(event.MCPList{Servers: s.MCP.List(), Problem: s.MCP.Problem()})
	}
	change := func(ctx context.Context, do func() error) (*route.Body[event.MCPList], error) {
		if err := access.WindowOnly(ctx); err != nil {
			return nil, err
		}
		if err := do(); err != nil {
			if mcp.IsUnknownServer(err) {
				return nil, route.NotFound(err.Error())
			}
			return nil, route.Refused(err)
		}
		return list(), nil
	}
	const base, one = "/api/mcp-servers", "/api/mcp-servers/{name}"
	route.Add(s.API, http.MethodPost, base, "Add an MCP server", http.StatusOK,
		func(ctx context.Context, in *struct{ Body entryBody }) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return s.MCP.Put(in.Body.Name, in.Body.Entry, false) })
		})
	route.Add(s.API, http.MethodPut, one, "Change an MCP server", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body entryBody
	},
	) (*route.Body[event.MCPList], error) {
		return change(ctx, func() error { return s.MCP.Put(in.Name, in.Body.Entry, true) })
	})
	route.Add(s.API, http.MethodDelete, one, "Remove an MCP server", http.StatusOK,
		func(ctx context.Context, in *serverPath) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return s.MCP.Remove(in.Name) })
		})
	route.Add(s.API, http.MethodPost, one+"/restart", "Start an MCP server anew", http.StatusOK,
		func(ctx context.Context, in *serverPath) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return s.MCP.Restart(in.Name) })
		})
	route.Add(s.API, http.MethodGet, one, "An MCP server's entry and log", http.StatusOK,
		func(ctx context.Context, in *serverPath) (*route.Body[MCPServerDetail], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			entry, err := s.MCP.Entry(in.Name)
			if err != nil {
				return nil, route.NotFound(err.Error())
			}
			log, err := s.MCP.Log(in.Name)
			if err != nil {
				return nil, route.NotFound(err.Error())
			}
			return route.Answer(MCPServerDetail{Entry: entry, Log: log, May: s.MCP.Access(entry)}), nil
		})
	route.Add(s.API, http.MethodPost, base+"/may", "What a server with that entry may touch", http.StatusOK,
		func(ctx context.Context, in *struct{ Body entryBody }) (*route.Body[launch.Access], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			return route.Answer(s.MCP.Access(in.Body.Entry)), nil
		})
	route.Add(s.API, http.MethodPut, one+"/consents", "Say what an MCP server may ask for", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body mcpconfig.Consents
		},
		) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return s.MCP.SetConsents(in.Name, in.Body) })
		})
	s.offerRoutes(one)
	s.importRoutes(base + "/import")
}

// importBody is what is imported: a text, or the path of a file on this machine, which a bundle is.
type importBody struct {
	Text string `json:"text,omitempty" maxLength:"1000000"`
	Path string `json:"path,omitempty" maxLength:"4096"`
	// Digest is the preview's: what is imported is what was looked at, or nothing.
	Digest string `json:"digest,omitempty" maxLength:"64"`
	// Names are the servers that are wanted, all when there are none.
	Names []string `json:"names,omitempty" maxItems:"64"`
}

// importRoutes take over what another program lists, after it was looked at.
func (s Routes) importRoutes(base string) {
	read := func(ctx context.Context, in importBody) (importers.List, error) {
		if err := access.WindowOnly(ctx); err != nil {
			return importers.List{}, err
		}
		list, err := s.Foreign().Read([]byte(in.Text))
		if in.Path != "" {
			list, err = s.Foreign().Open(in.Path)
		}
		if err != nil {
			return list, route.Refused(err)
		}
		return list, nil
	}
	route.Add(s.API, http.MethodPost, base+"/preview", "What an import would add", http.StatusOK,
		func(ctx context.Context, in *struct{ Body importBody }) (*route.Body[importers.Preview], error) {
			list, err := read(ctx, in.Body)
			if err != nil {
				return nil, err
			}
			p, err := s.MCP.Preview(list)
			if err != nil {
				return nil, route.Refused(err)
			}
			return route.Answer(p), nil
		})
	route.Add(s.API, http.MethodPost, base, "Import servers of another program", http.StatusOK,
		func(ctx context.Context, in *struct{ Body importBody }) (*route.Body[MCPImported], error) {
			list, err := read(ctx, in.Body)
			if err != nil {
				return nil, err
			}
			if list.Digest != in.Body.Digest && (in.Body.Path != "" || in.Body.Digest != "") {
				return nil, route.Refused(errors.New("it is not what the preview showed: it changed since, or was " +
					"never " +
					"looked at; nothing was imported. Look at it again"))
			}
			added, skipped, err := s.MCP.Import(list, in.Body.Names)
			if err != nil {
				return nil, route.Refused(err)
			}
			return route.Answer(MCPImported{
					Added:   append([]string{}, added...),
					Skipped: append([]string{}, skipped...),
				}),
				nil
		})
}
