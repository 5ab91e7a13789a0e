package httpapi

import (
	"context"
	"errors"
	"net/http"

	"sextant/backend/tools/mcp"
	mcpconfig "sextant/backend/tools/mcp/config"
	"sextant/backend/tools/mcp/foreign"
	"sextant/backend/tools/mcp/launch"
	"sextant/shared/event"
)

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
	May launch.May `json:"may"`
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
func (s *Server) serverRoutes() {
	list := func() *body[event.MCPList] {
		return answer(event.MCPList{Servers: s.rooms.MCP.List(), Problem: s.rooms.MCP.Problem()})
	}
	change := func(ctx context.Context, do func() error) (*body[event.MCPList], error) {
		if err := personOnly(ctx); err != nil {
			return nil, err
		}
		if err := do(); err != nil {
			if mcp.IsUnknown(err) {
				return nil, notFound(err.Error())
			}
			return nil, refused(err)
		}
		return list(), nil
	}
	const base, one = "/api/mcp-servers", "/api/mcp-servers/{name}"
	add(s, http.MethodPost, base, "Add an MCP server", http.StatusOK, func(ctx context.Context, in *struct{ Body entryBody }) (*body[event.MCPList], error) {
		return change(ctx, func() error { return s.rooms.MCP.Put(in.Body.Name, in.Body.Entry, false) })
	})
	add(s, http.MethodPut, one, "Change an MCP server", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body entryBody
	},
	) (*body[event.MCPList], error) {
		return change(ctx, func() error { return s.rooms.MCP.Put(in.Name, in.Body.Entry, true) })
	})
	add(s, http.MethodDelete, one, "Remove an MCP server", http.StatusOK, func(ctx context.Context, in *serverPath) (*body[event.MCPList], error) {
		return change(ctx, func() error { return s.rooms.MCP.Remove(in.Name) })
	})
	add(s, http.MethodPost, one+"/restart", "Start an MCP server anew", http.StatusOK, func(ctx context.Context, in *serverPath) (*body[event.MCPList], error) {
		return change(ctx, func() error { return s.rooms.MCP.Restart(in.Name) })
	})
	add(s, http.MethodGet, one, "An MCP server's entry and log", http.StatusOK, func(ctx context.Context, in *serverPath) (*body[MCPServerDetail], error) {
		if err := personOnly(ctx); err != nil {
			return nil, err
		}
		entry, err := s.rooms.MCP.Entry(in.Name)
		if err != nil {
			return nil, notFound(err.Error())
		}
		log, err := s.rooms.MCP.Log(in.Name)
		if err != nil {
			return nil, notFound(err.Error())
		}
		return answer(MCPServerDetail{Entry: entry, Log: log, May: s.rooms.MCP.May(entry)}), nil
	})
	add(s, http.MethodPost, base+"/may", "What a server with that entry may touch", http.StatusOK, func(ctx context.Context, in *struct{ Body entryBody }) (*body[launch.May], error) {
		if err := personOnly(ctx); err != nil {
			return nil, err
		}
		return answer(s.rooms.MCP.May(in.Body.Entry)), nil
	})
	add(s, http.MethodPut, one+"/consents", "Say what an MCP server may ask for", http.StatusOK, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"128"`
		Body mcpconfig.Consents
	},
	) (*body[event.MCPList], error) {
		return change(ctx, func() error { return s.rooms.MCP.Consent(in.Name, in.Body) })
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
func (s *Server) importRoutes(base string) {
	read := func(ctx context.Context, in importBody) (foreign.List, error) {
		if err := personOnly(ctx); err != nil {
			return foreign.List{}, err
		}
		list, err := s.rooms.Foreign().Read([]byte(in.Text))
		if in.Path != "" {
			list, err = s.rooms.Foreign().Open(in.Path)
		}
		if err != nil {
			return list, refused(err)
		}
		return list, nil
	}
	add(s, http.MethodPost, base+"/preview", "What an import would add", http.StatusOK, func(ctx context.Context, in *struct{ Body importBody }) (*body[foreign.Preview], error) {
		list, err := read(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		p, err := s.rooms.MCP.Preview(list)
		if err != nil {
			return nil, refused(err)
		}
		return answer(p), nil
	})
	add(s, http.MethodPost, base, "Import servers of another program", http.StatusOK, func(ctx context.Context, in *struct{ Body importBody }) (*body[MCPImported], error) {
		list, err := read(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		if list.Digest != in.Body.Digest && (in.Body.Path != "" || in.Body.Digest != "") {
			return nil, refused(errors.New("it is not what the preview showed: it changed since, or was never looked at; nothing was imported. Look at it again"))
		}
		added, skipped, err := s.rooms.MCP.Import(list, in.Body.Names)
		if err != nil {
			return nil, refused(err)
		}
		return answer(MCPImported{Added: append([]string{}, added...), Skipped: append([]string{}, skipped...)}), nil
	})
}
