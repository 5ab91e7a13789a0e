// Package mcpservers is the backend of the panel "MCP servers". Every caller can list servers, read their logs, switch
// a server off, or propose a new one. Only the user can switch a server on, because its command runs on this machine.
package mcpservers

import (
	"net/http"
	"strconv"
	"strings"

	"sextant/panels/reply"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// Proposal is a server that a call wants to add. It should have either a command with arguments or an address.
type Proposal struct {
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	URL     string   `json:"url"`
}

// Services contains the functions that the panel needs from other packages.
type Services struct {
	List func() []event.MCPServer
	Log  func(name string) (string, error)
	// SetEnabled switches a server on or off. Add adds a new server to the configuration, switched off.
	SetEnabled func(name string, on bool) error
	Add        func(p Proposal) error
}

// Handler returns the handler of the panel's endpoints.
func Handler(services Services) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/mcp-servers/servers", services.list)
	mux.HandleFunc("POST /api/mcp-servers/servers", services.add)
	mux.HandleFunc("GET /api/mcp-servers/servers/{name}/log", services.log)
	mux.HandleFunc("POST /api/mcp-servers/servers/{name}/toggle", services.toggle)
	return mux
}

func (services Services) list(w http.ResponseWriter, r *http.Request) {
	out := []map[string]any{}
	var sources []string
	for _, s := range services.List() {
		out = append(out, map[string]any{
			"name": s.Name, "state": s.State, "on": s.Enabled, "transport": s.Transport, "tools": s.Tools,
			"error": excerpt.Line(s.Error, 300),
		})
		if len(s.Tools) > 0 || s.Error != "" {
			sources = append(sources, "mcp:"+s.Name)
		}
	}
	reply.WriteJSONWithSources(w, r, map[string]any{"servers": out}, sources...)
}

func unknown(w http.ResponseWriter, err error) {
	reply.Refuse(w, http.StatusNotFound, err.Error(), "List them with mcp_servers_list.")
}

func (services Services) log(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, err := services.Log(name)
	if err != nil {
		unknown(w, err)
		return
	}
	lines := 60
	if n, err := strconv.Atoi(r.URL.Query().Get("lines")); err == nil {
		lines = min(max(n, 1), 500)
	}
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	reply.WriteJSONWithSources(w, r, map[string]any{
		"server": name,
		"log":    strings.Join(all[max(0, len(all)-lines):], "\n"),
	},
		"mcp:"+name)
}

func (services Services) toggle(w http.ResponseWriter, r *http.Request) {
	var in struct {
		On bool `json:"on"`
	}
	reply.DecodeBody(r, &in)
	name := r.PathValue("name")
	if in.On && !reply.RequireUser(w, r, "only the user can switch on "+name+
		", because its command runs on this machine",
		"Ask the user to switch it on in MCP servers.") {
		return
	}
	if err := services.SetEnabled(name, in.On); err != nil {
		unknown(w, err)
		return
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"server": name, "on": in.On})
}

func (services Services) add(w http.ResponseWriter, r *http.Request) {
	var p Proposal
	reply.DecodeBody(r, &p)
	if err := services.Add(p); err != nil {
		reply.Refuse(w, http.StatusBadRequest, err.Error(),
			`A correct call: mcp_server_add {"name": "files", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}`)
		return
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{
		"server": p.Name, "on": false,
		"next": "It is off. The user can check its command and switch it on in MCP servers.",
	})
}
