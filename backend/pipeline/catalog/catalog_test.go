package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

// panels offers the tools of a panel while it is active, and one tool always.
type panels map[string][]toolspec.Definition

func (p panels) Definitions(panel string) []toolspec.Definition {
	if panel == "" {
		return p[""]
	}
	return slices.Concat(p[""], p[panel])
}

func def(name string, origin toolspec.Origin, owner string) toolspec.Definition {
	return toolspec.Definition{
		Name: name, Origin: origin, Owner: owner,
		Parameters: json.RawMessage(`{"type":"object"}`),
	}
}

func TestPanelToolsAreListedOnlyWhileActive(t *testing.T) {
	d := NewRegistry(
		panels{"": {def("navigate_page", toolspec.OriginBaseline, "")}},
		panels{"notes": {def("note_add", toolspec.OriginPanel, "notes")}},
		panels{"": {def("gh__comment", toolspec.OriginMCP, "gh"), def("my_tool", toolspec.OriginCreated, "")}},
	)
	before := d.ForPanel("")
	with := d.ForPanel("notes")
	if _, ok := before.Get("note_add"); ok {
		t.Fatal("a tool of a panel that is not active can be called")
	}
	if got, ok := with.Get("note_add"); !ok || got.Owner != "notes" {
		t.Fatalf("%+v", got)
	}
	w := with.Wire()
	if len(w.Baseline) != 2 || len(w.Panel) != 1 || len(w.MCP) != 1 || w.Origins["my_tool"] != toolspec.OriginCreated ||
		len(w.Origins) != 4 {
		t.Fatalf("%+v", w)
	}
	b, err := json.Marshal(before.Wire())
	if err != nil || !strings.Contains(string(b), `"panel":[]`) || !strings.Contains(string(b), `"tool_origins"`) ||
		!strings.Contains(string(b), `"type":"function"`) {
		t.Fatalf("%s, %v", b, err)
	}
}

func TestDuplicateToolNameIsReported(t *testing.T) {
	c := NewRegistry(
		panels{"": {def("save", toolspec.OriginBaseline, "")}},
		panels{"": {def("save", toolspec.OriginPanel, "notes"), def("", toolspec.OriginMCP, "x")}},
	).ForPanel("")
	if got, _ := c.Get("save"); got.Origin != toolspec.OriginBaseline {
		t.Fatalf("%+v", got)
	}
	problems := c.Problems()
	if len(c.All()) != 1 || len(problems) != 2 || !strings.Contains(problems[0], `save of panel "notes" is off`) {
		t.Fatalf("%v", problems)
	}
}

func TestCatalogIsImmutable(t *testing.T) {
	source := panels{"": {def("a", toolspec.OriginBaseline, "")}}
	c := NewRegistry(source).ForPanel("")
	source[""] = append(source[""], def("b", toolspec.OriginBaseline, ""))
	c.All()[0].Name = "changed"
	if !slices.Equal(c.Names(), []string{"a"}) {
		t.Fatalf("%v", c.Names())
	}
	if got := c.Nearest("A"); !slices.Equal(got, []string{"a"}) {
		t.Fatalf("%v", got)
	}
}
