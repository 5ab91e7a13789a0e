// Package mcproutes registers the HTTP routes for MCP servers: their entries in mcp-config.json, importing from
// other programs, what a server offers besides tools, and the pages of servers.
package mcproutes

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/importers"
	"sextant/backend/mcp/launch"
	"sextant/backend/mcp/mcpclient"
	"sextant/shared/event"
)

// Routes contains what the routes for MCP servers need. Register adds them to API.
type Routes struct {
	API  huma.API
	MCP  *mcpclient.Servers
	Apps Apps
	// ImportReader returns a reader of other programs' lists of MCP servers.
	ImportReader func() importers.Reader
}

type serverPath struct {
	Name string `path:"name" maxLength:"128"`
}

// MCPServerDetail is a server's entry in the config and the end of its log.
type MCPServerDetail struct {
	Entry  mcpconfig.Entry `json:"entry"`
	Log    string          `json:"log"`
	Access launch.Access   `json:"may"`
}

// MCPImportResult names the servers that were added, switched off, and those that were skipped because they exist.
type MCPImportResult struct {
	Added   []string `json:"added"`
	Skipped []string `json:"skipped"`
}

// entryBody has a Name only for adding a server.
type entryBody struct {
	Name  string          `json:"name,omitempty" maxLength:"64"`
	Entry mcpconfig.Entry `json:"entry"`
}

// Register adds the routes. Only a window may use them: an entry may be a command that runs on this machine.
func (r Routes) Register() {
	list := func() *route.Body[event.MCPList] {
		return route.Answer(event.MCPList{Servers: r.MCP.List(), Problem: r.MCP.Problem()})
	}
	change := func(ctx context.Context, do func() error) (*route.Body[event.MCPList], error) {
		if err := access.RequireWindow(ctx); err != nil {
			return nil, err
		}
		if err := do(); err != nil {
			if mcpclient.IsUnknownServer(err) {
				return nil, route.NotFound(err.Error())
			}
			return nil, route.RequestError(err)
		}
		return list(), nil
	}
	const base, one = "/api/mcp-servers", "/api/mcp-servers/{name}"
	route.Add(r.API, http.MethodPost, base, "Add an MCP server", http.StatusOK,
		func(ctx context.Context, in *struct{ Body entryBody }) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return r.MCP.Put(in.Body.Name, in.Body.Entry, false) })
		})
	route.Add(r.API, http.MethodPut, one, "Change an MCP server", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body entryBody
	},
	) (*route.Body[event.MCPList], error) {
		return change(ctx, func() error { return r.MCP.Put(in.Name, in.Body.Entry, true) })
	})
	route.Add(r.API, http.MethodDelete, one, "Remove an MCP server", http.StatusOK,
		func(ctx context.Context, in *serverPath) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return r.MCP.Remove(in.Name) })
		})
	route.Add(r.API, http.MethodPost, one+"/restart", "Restart an MCP server", http.StatusOK,
		func(ctx context.Context, in *serverPath) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return r.MCP.Restart(in.Name) })
		})
	route.Add(r.API, http.MethodGet, one, "An MCP server's entry and log", http.StatusOK,
		func(ctx context.Context, in *serverPath) (*route.Body[MCPServerDetail], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			entry, err := r.MCP.Entry(in.Name)
			if err != nil {
				return nil, route.NotFound(err.Error())
			}
			log, err := r.MCP.Log(in.Name)
			if err != nil {
				return nil, route.NotFound(err.Error())
			}
			return route.Answer(MCPServerDetail{Entry: entry, Log: log, Access: r.MCP.Access(entry)}), nil
		})
	route.Add(r.API, http.MethodPost, base+"/access", "What a server with that entry could access", http.StatusOK,
		func(ctx context.Context, in *struct{ Body entryBody }) (*route.Body[launch.Access], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			return route.Answer(r.MCP.Access(in.Body.Entry)), nil
		})
	route.Add(r.API, http.MethodPut, one+"/consents", "Set what an MCP server may ask for", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"128"`
			Body mcpconfig.Consents
		},
		) (*route.Body[event.MCPList], error) {
			return change(ctx, func() error { return r.MCP.SetConsents(in.Name, in.Body) })
		})
	r.offerRoutes(one)
	r.appRoutes(one + "/app")
	r.importRoutes(base + "/import")
}

// importBody contains the text to import or, if it is not empty, the path of a file on this machine instead.
type importBody struct {
	Text string `json:"text,omitempty" maxLength:"1000000"`
	Path string `json:"path,omitempty" maxLength:"4096"`
	// Digest is the digest in the preview, so that only what was shown is imported.
	Digest string `json:"digest,omitempty" maxLength:"64"`
	// Names are the servers to import; empty means all.
	Names []string `json:"names,omitempty" maxItems:"64"`
}

func (r Routes) importRoutes(base string) {
	read := func(ctx context.Context, in importBody) (importers.List, error) {
		if err := access.RequireWindow(ctx); err != nil {
			return importers.List{}, err
		}
		list, err := r.ImportReader().Parse([]byte(in.Text))
		if in.Path != "" {
			list, err = r.ImportReader().ReadFile(in.Path)
		}
		if err != nil {
			return list, route.RequestError(err)
		}
		return list, nil
	}
	route.Add(r.API, http.MethodPost, base+"/preview", "What an import would add", http.StatusOK,
		func(ctx context.Context, in *struct{ Body importBody }) (*route.Body[importers.Preview], error) {
			list, err := read(ctx, in.Body)
			if err != nil {
				return nil, err
			}
			p, err := r.MCP.Preview(list)
			if err != nil {
				return nil, route.RequestError(err)
			}
			return route.Answer(p), nil
		})
	route.Add(r.API, http.MethodPost, base, "Import servers of another program", http.StatusOK,
		func(ctx context.Context, in *struct{ Body importBody }) (*route.Body[MCPImportResult], error) {
			list, err := read(ctx, in.Body)
			if err != nil {
				return nil, err
			}
			if list.Digest != in.Body.Digest && (in.Body.Path != "" || in.Body.Digest != "") {
				return nil, route.RequestError(errors.New("nothing was imported: it is not what the preview showed. " +
					"The list changed since, or was never previewed. Preview it again"))
			}
			added, skipped, err := r.MCP.Import(list, in.Body.Names)
			if err != nil {
				return nil, route.RequestError(err)
			}
			return route.Answer(MCPImportResult{
				Added:   append([]string{}, added...),
				Skipped: append([]string{}, skipped...),
			}), nil
		})
}
