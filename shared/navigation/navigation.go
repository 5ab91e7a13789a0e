// Package navigation is the one map (ARCHITECTURE "The navigation map"): panels' open
// tools, environment commands with their tools and routes, and the routes other programs
// rely on are all read from map.json. Drop-in panels extend it in memory with WithPanels.
// No panel id and no such route stands as a literal anywhere else; a test in app looks.
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

// Map is the parsed map. It is read only after Load and may be shared.
type Map struct {
	Version           int      `json:"version"`
	PanelTool         string   `json:"panel_tool"`
	EnvironmentPrefix string   `json:"environment_prefix"`
	Panels            []string `json:"panels"`
	// SurfacePanel is the panel that shows the page the environment tools act on.
	SurfacePanel string            `json:"surface_panel"`
	Routes       map[string]string `json:"routes"`
	Navigation   []Entry           `json:"navigation"`
	Environment  []Command         `json:"environment"`
}

// Entry is a built-in navigation tool and the key of its route in Routes.
type Entry struct {
	Tool  string `json:"tool"`
	Route string `json:"route"`
}

// Command is an environment command. Core tools are what `sextant mcp` offers by default.
type Command struct {
	Command string `json:"command"`
	Tool    string `json:"tool"`
	Core    bool   `json:"core,omitempty"`
}

// Load parses the embedded map. An error means the build is broken: an unknown field, a
// name twice, or an entry that points to no route.
func Load() (*Map, error) { return parse(mapJSON) }

func parse(text []byte) (*Map, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var m Map
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("reading map.json: %w", err)
	}
	if !slices.Contains(m.Panels, m.SurfacePanel) {
		return nil, fmt.Errorf("map.json: surface_panel %q is no panel", m.SurfacePanel)
	}
	seen := map[string]bool{}
	for _, name := range m.ToolNames() {
		if seen[name] {
			return nil, fmt.Errorf("map.json: tool %q stands twice", name)
		}
		seen[name] = true
	}
	used := map[string]bool{}
	for _, c := range m.Environment {
		if used[c.Command] {
			return nil, fmt.Errorf("map.json: command %q stands twice", c.Command)
		}
		used[c.Command] = true
	}
	for _, e := range m.Navigation {
		if m.Routes[e.Route] == "" {
			return nil, fmt.Errorf("map.json: %s points to no route %q", e.Tool, e.Route)
		}
	}
	return &m, nil
}

// WithPanels returns a copy of m that also holds the panels ids.
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

// OpenTool is the tool that opens panel id: "code-editor" → "open_code_editor_panel".
func (m *Map) OpenTool(id string) string {
	return fmt.Sprintf(m.PanelTool, strings.ReplaceAll(id, "-", "_"))
}

// PanelOf is the panel that the open tool name opens, "" when it is none.
func (m *Map) PanelOf(tool string) string {
	for _, id := range m.Panels {
		if m.OpenTool(id) == tool {
			return id
		}
	}
	return ""
}

// ToolNames lists every tool of the map: open tools, navigation, environment.
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

// Tool is the tool of an environment command, "" when there is no such command.
func (m *Map) Tool(command string) string {
	for _, c := range m.Environment {
		if c.Command == command {
			return c.Tool
		}
	}
	return ""
}

// Core lists the environment tools of the core set in the map's order.
func (m *Map) Core() []string {
	var names []string
	for _, c := range m.Environment {
		if c.Core {
			names = append(names, c.Tool)
		}
	}
	return names
}

// EnvironmentPath is the HTTP path of an environment command.
func (m *Map) EnvironmentPath(command string) string { return m.EnvironmentPrefix + command }

// Route splits the named route into method and path; it panics on a name that is not in
// the map, which Load and the completeness test make a programming error.
func (m *Map) Route(name string) (method, path string) {
	method, path, ok := strings.Cut(m.Routes[name], " ")
	if !ok {
		panic("navigation: no route " + name)
	}
	return method, path
}
