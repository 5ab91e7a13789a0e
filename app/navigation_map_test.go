package app

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"sextant/panels"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// mapGaps holds the map against what is there: the embedded manifests, the tools that the
// environment and the baseline define, and the routes of the HTTP server.
func mapGaps(nav *navigation.Map, manifests, tools, routes []string) []string {
	var gaps []string
	missing := func(what string, have, want []string) {
		for _, w := range want {
			if !slices.Contains(have, w) {
				gaps = append(gaps, fmt.Sprintf("%s: %s", what, w))
			}
		}
	}
	missing("a manifest without an entry in the map", nav.Panels, manifests)
	missing("an entry in the map without a manifest", manifests, nav.Panels)
	missing("a tool of the map that nobody defines", tools, nav.ToolNames())
	missing("a tool that is not in the map", nav.ToolNames(), tools)
	var wanted []string
	for _, r := range nav.Routes {
		wanted = append(wanted, r)
	}
	for _, c := range nav.Environment {
		wanted = append(wanted, "POST "+nav.EnvironmentPath(c.Command))
	}
	missing("a route of the map that is not served", routes, wanted)
	return gaps
}

// present lists the manifests, mapped tools and routes of the running program.
func present(t *testing.T, sys *System) (manifests, tools, routes []string) {
	t.Helper()
	entries, err := fs.ReadDir(panels.Builtin(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			manifests = append(manifests, e.Name())
		}
	}
	own := []string{"environment", "input", "navigation"}
	for _, d := range sys.Catalog.ForPanel("").All() {
		if d.Origin == toolspec.OriginBaseline && slices.Contains(own, d.Group) {
			tools = append(tools, d.Name)
		}
	}
	files, err := GeneratedFiles()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(files["frontend/openapi.json"], &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method := range methods {
			routes = append(routes, strings.ToUpper(method)+" "+path)
		}
	}
	return manifests, tools, routes
}

func TestNavigationMapIsComplete(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	manifests, tools, routes := present(t, sys)
	for _, gap := range mapGaps(sys.Nav, manifests, tools, routes) {
		t.Error(gap)
	}
}

func TestMapGapsFindsMissingAndRedundantEntries(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	manifests, tools, routes := present(t, sys)
	for name, gaps := range map[string][]string{
		"a new manifest":         mapGaps(sys.Nav, append(slices.Clone(manifests), "weather"), tools, routes),
		"a panel without folder": mapGaps(sys.Nav.WithPanels([]string{"weather"}), manifests, tools, routes),
		"a new tool":             mapGaps(sys.Nav, manifests, append(slices.Clone(tools), "open_door"), routes),
		"a tool that went":       mapGaps(sys.Nav, manifests, tools[1:], routes),
		"a route that went":      mapGaps(sys.Nav, manifests, tools, nil),
	} {
		if len(gaps) == 0 {
			t.Errorf("%s was not noticed", name)
		}
	}
}
