package app

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"sextant/backend/pipeline/schema"
	"sextant/shared/toolspec"
)

// TestToolsHaveThreeExamples asks for three different calls of each built-in tool, or {} for one without parameters.
// The built-in panels' tools count too.
func TestToolsHaveThreeExamples(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	tools := sys.Catalog.ForPanel("").All()
	panels, err := filepath.Glob("../panels/*/manifest.json")
	if err != nil || len(panels) < 9 {
		t.Fatalf("%d panels, %v", len(panels), err)
	}
	for _, file := range panels {
		for _, d := range sys.Catalog.ForPanel(filepath.Base(filepath.Dir(file))).All() {
			if d.Origin == toolspec.OriginPanel {
				tools = append(tools, d)
			}
		}
	}
	checker := schema.New()
	for _, d := range tools {
		var parameters struct {
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(d.Parameters, &parameters); err != nil {
			t.Fatal(err)
		}
		want, different := 3, map[string]bool{}
		if len(parameters.Properties) == 0 {
			want = 1
		}
		for _, e := range d.Examples {
			different[string(e)] = true
			if _, problem := checker.Check(d, e); problem != nil {
				t.Errorf("%s: the example %s: %s", d.Name, e, problem.Error)
			}
		}
		if len(different) < want {
			t.Errorf("%s has %d examples", d.Name, len(different))
		}
	}
}
