package page

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tiktoken-go/tokenizer"

	"sextant/backend/toolkit"
	"sextant/shared/navigation"
)

func loadTools(t *testing.T) (*Tools, *navigation.Map) {
	t.Helper()
	nav, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := New(nil, nav, Config{Alias: func(w string) (string, bool) {
		return "http://127.0.0.1:4711/",
			w == "demo"
	}})
	if err != nil {
		t.Fatal(err)
	}
	return tools, nav
}

func TestDefinitionsFollowTheMap(t *testing.T) {
	tools, nav := loadTools(t)
	defs := tools.Definitions("browser")
	if len(defs) != len(nav.Environment) {
		t.Fatalf("%d definitions, %d in the map", len(defs), len(nav.Environment))
	}
	for i, d := range defs {
		if d.Name != nav.Environment[i].Tool {
			t.Errorf("definition %d is %s, the map has %s", i, d.Name, nav.Environment[i].Tool)
		}
		if d.Description == "" || d.Group != "environment" || len(d.Examples) == 0 {
			t.Errorf("%s is not complete", d.Name)
		}
	}
}

func TestNewFailsWhenMapAndToolsDiffer(t *testing.T) {
	_, nav := loadTools(t)
	more := *nav
	more.Environment = append(more.Environment[:len(more.Environment):len(more.Environment)],
		navigation.Command{Command: "fly", Tool: "fly_away"})
	if _, err := New(nil, &more, Config{}); err == nil || !strings.Contains(err.Error(), "fly_away") {
		t.Errorf("a tool that is not built: %v", err)
	}
	less := *nav
	less.Environment = nav.Environment[1:]
	if _, err := New(nil, &less, Config{}); err == nil || !strings.Contains(err.Error(), nav.Environment[0].Tool) {
		t.Errorf("a tool that the map misses: %v", err)
	}
}

func TestExamplesMatchTheirSchemas(t *testing.T) {
	tools, _ := loadTools(t)
	for _, d := range tools.Definitions("") {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Parameters))
		if err != nil {
			t.Fatalf("%s: %v\n%s", d.Name, err, d.Parameters)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("s.json", doc); err != nil {
			t.Fatal(err)
		}
		sch, err := c.Compile("s.json")
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		for _, e := range d.Examples {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(e))
			if err != nil {
				t.Fatalf("%s: example %s: %v", d.Name, e, err)
			}
			if err := sch.Validate(v); err != nil {
				t.Errorf("%s: example %s: %v", d.Name, e, err)
			}
		}
		stray, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"stray":1}`))
		if sch.Validate(stray) == nil {
			t.Errorf("%s takes an unknown argument", d.Name)
		}
	}
}

func TestDefaults(t *testing.T) {
	if p := toolkit.Defaults[typeParams](); !p.Clear || p.Submit {
		t.Errorf("type_text: %+v", p)
	}
	if p := toolkit.Defaults[contentParams](); p.Format != "markdown" || p.MaxTokens != 4000 {
		t.Errorf("get_page_content: %+v", p)
	}
	if p := toolkit.Defaults[scrollParams](); p.Direction != "down" {
		t.Errorf("scroll_page: %+v", p)
	}
	if p := toolkit.Defaults[tabsParams](); p.Action != "list" {
		t.Errorf("browser_tabs: %+v", p)
	}
	if p := toolkit.Defaults[annotateParams](); p.Scope != "viewport" {
		t.Errorf("annotate_page: %+v", p)
	}
}

func newCodec(t *testing.T) tokenizer.Codec {
	t.Helper()
	c, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// coreBudget is what the definitions of the core set may cost together.
const coreBudget = 1500

func TestCoreDefinitionsFitTokenBudget(t *testing.T) {
	tools, nav := loadTools(t)
	type mcpTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	core := map[string]bool{}
	for _, name := range nav.CoreTools() {
		core[name] = true
	}
	var list []mcpTool
	c := newCodec(t)
	for _, d := range tools.Definitions("") {
		if core[d.Name] {
			m := mcpTool{d.Name, d.Description, d.Parameters}
			b, _ := json.Marshal(m)
			n, _ := c.Count(string(b))
			t.Logf("%s: %d", d.Name, n)
			list = append(list, m)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		t.Fatal(err)
	}
	n, err := c.Count(b.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tools, %d tokens", len(list), n)
	if len(list) > 12 || n > coreBudget {
		t.Errorf("%d tools, %d tokens; at most 12 and %d", len(list), n, coreBudget)
	}
}
