// Package navigation reads the navigation map, map.json. The map contains the tools that open panels, the environment
// commands with their tools and routes, and the routes on which other programs rely. WithPanels adds a person's own
// panels in memory.
package navigation

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

//go:embed map.json
var mapJSON []byte

// Map is the parsed navigation map. It is read-only and safe for concurrent use.
type Map struct {
	Version           int      `json:"version"`
	PanelTool         string   `json:"panel_tool"`
	EnvironmentPrefix string   `json:"environment_prefix"`
	Panels            []string `json:"panels"`
	// SurfacePanel is the panel that shows the page of the controlled browser.
	SurfacePanel string            `json:"surface_panel"`
	Routes       map[string]string `json:"routes"`
	Navigation   []Entry           `json:"navigation"`
	Environment  []Command         `json:"environment"`
}

// Entry is a built-in navigation tool. Route is a key of Map.Routes.
type Entry struct {
	Tool  string `json:"tool"`
	Route string `json:"route"`
}

// Command is an environment command. Core is true for a core tool, which the assistant is always sent and `sextant mcp`
// offers by default.
type Command struct {
	Command string `json:"command"`
	Tool    string `json:"tool"`
	Core    bool   `json:"core,omitempty"`
}

// Load parses the embedded map. It returns an error only if the program was built with an invalid map, for example with
// an unknown field, a duplicate name or an entry without a route.
func Load() (*Map, error) { return parse(mapJSON) }

func parse(text []byte) (*Map, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var m Map
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("reading map.json: %w", err)
	}
	if !slices.Contains(m.Panels, m.SurfacePanel) {
		return nil, fmt.Errorf("map.json: surface_panel %q is not a panel", m.SurfacePanel)
	}
	seen := map[string]bool{}
	for _, name := range m.ToolNames() {
		if seen[name] {
			return nil, fmt.Errorf("map.json: duplicate tool %q", name)
		}
		seen[name] = true
	}
	used := map[string]bool{}
	for _, c := range m.Environment {
		if used[c.Command] {
			return nil, fmt.Errorf("map.json: duplicate command %q", c.Command)
		}
		used[c.Command] = true
	}
	for _, e := range m.Navigation {
		if m.Routes[e.Route] == "" {
			return nil, fmt.Errorf("map.json: %s names an unknown route %q", e.Tool, e.Route)
		}
	}
	return &m, nil
}

// WithPanels returns a copy of m that also contains the panels with the given ids.
func (m *Map) WithPanels(ids []string) *Map {
	c := *m
	c.Panels = slices.Clone(m.Panels)
	for _, id := range ids {
		if !slices.Contains(c.Panels, id) {
			c.Panels = append(c.Panels, id)
		}
	}
	return &c
}

// OpenTool returns the name of the tool that opens the panel id: "open_code_editor_panel" for "code-editor".
func (m *Map) OpenTool(id string) string {
	return fmt.Sprintf(m.PanelTool, strings.ReplaceAll(id, "-", "_"))
}

// PanelOf returns the id of the panel that the tool opens, "" if it opens none.
func (m *Map) PanelOf(tool string) string {
	for _, id := range m.Panels {
		if m.OpenTool(id) == tool {
			return id
		}
	}
	return ""
}

// ToolNames returns the names of all tools in the map: first those that open panels, then navigation and environment.
func (m *Map) ToolNames() []string {
	var names []string
	for _, id := range m.Panels {
		names = append(names, m.OpenTool(id))
	}
	for _, e := range m.Navigation {
		names = append(names, e.Tool)
	}
	for _, c := range m.Environment {
		names = append(names, c.Tool)
	}
	return names
}

// EnvironmentTool returns the name of the tool of an environment command, "" if there is no such command.
func (m *Map) EnvironmentTool(command string) string {
	for _, c := range m.Environment {
		if c.Command == command {
			return c.Tool
		}
	}
	return ""
}

// CoreTools returns the names of the core environment tools, in the order of the map.
func (m *Map) CoreTools() []string {
	var names []string
	for _, c := range m.Environment {
		if c.Core {
			names = append(names, c.Tool)
		}
	}
	return names
}

// EnvironmentPath returns the HTTP path of an environment command.
func (m *Map) EnvironmentPath(command string) string { return m.EnvironmentPrefix + command }

// Route returns the method and path of the named route. It panics if the map has no such route.
func (m *Map) Route(name string) (method, path string) {
	method, path, ok := strings.Cut(m.Routes[name], " ")
	if !ok {
		panic("navigation: no route " + name)
	}
	return method, path
}
