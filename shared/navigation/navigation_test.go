package navigation

import (
	"slices"
	"strings"
	"testing"
)

func TestMapLoadsAndDerivesNames(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	wider := m.WithPanels([]string{"field-notes", m.Panels[0]})
	if got := wider.OpenTool("field-notes"); got != "open_field_notes_panel" {
		t.Errorf("open tool is %q", got)
	}
	if got := wider.PanelOf("open_field_notes_panel"); got != "field-notes" {
		t.Errorf("panel is %q", got)
	}
	if len(wider.Panels) != len(m.Panels)+1 || slices.Contains(m.Panels, "field-notes") {
		t.Error("WithPanels must extend a copy, once")
	}
	if n := len(m.CoreTools()); n == 0 || n > 12 {
		t.Errorf("the core set has %d tools, at most 12 are allowed", n)
	}
	for name := range m.Routes {
		if method, path := m.Route(name); method == "" || !strings.HasPrefix(path, "/api/") {
			t.Errorf("route %s is %q %q", name, method, path)
		}
	}
}

func TestInvalidMapIsRefused(t *testing.T) {
	whole := string(mapJSON)
	for name, broken := range map[string]string{
		"unknown field":         strings.Replace(whole, `"version"`, `"verzion"`, 1),
		"duplicate panel":       strings.Replace(whole, `"panels": [`, `"panels": ["home", `, 1),
		"duplicate tool":        strings.Replace(whole, `"tool": "annotate_page"`, `"tool": "navigate_page"`, 1),
		"duplicate command":     strings.Replace(whole, `"command": "annotate"`, `"command": "navigate"`, 1),
		"unknown route":         strings.Replace(whole, `"route": "panel_close"`, `"route": "panel_shut"`, 1),
		"unknown surface panel": strings.Replace(whole, `"surface_panel": "`, `"surface_panel": "x`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if broken == whole {
				t.Fatalf("%s: the map was not broken", name)
			}
			if _, err := parse([]byte(broken)); err == nil {
				t.Errorf("%s was accepted", name)
			}
		})
	}
}
