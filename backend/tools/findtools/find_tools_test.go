package findtools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/tools/findtools"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFindToolsIncludesActivePanel(t *testing.T) {
	t.Parallel()
	tools := findtools.New(func(panel string) []toolspec.Definition {
		defs := []toolspec.Definition{
			{Name: "find_tools", Description: "Finds a tool that dims a lamp."},
			{
				Name: "read_file", Description: "Reads a file.",
				Parameters: json.RawMessage(`{"properties":{"path":{"type":"string"}},"required":["path"]}`),
			},
		}
		if panel == "lamps" {
			defs = append(defs, toolspec.Definition{
				Name: "lamp_dim", Description: "Dims a lamp.",
				Parameters: json.RawMessage(`{}`),
			})
		}
		return defs
	})
	find := func(panel, args string) toolspec.Result {
		t.Helper()
		r, err := tools.Execute(t.Context(), toolspec.Call{
			Tool: "find_tools", Panel: panel,
			Args: json.RawMessage(args),
		}, toolspec.Definition{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := find("lamps", `{"query":"dim the lamp"}`); !r.Success || r.Text != "lamp_dim({})\n  Dims a lamp." ||
		r.Sentence != "Found 1 of 2 tools" {
		t.Errorf("%+v", r)
	}
	if r := find("", `{"query":"dim the lamp"}`); !r.Success || !strings.HasPrefix(r.Text, "None of 1 tools") {
		t.Errorf("a closed panel's tool is found: %+v", r)
	}
	r := find("", `{"query":"open the files","limit":1}`)
	b, err := json.Marshal(r.Value)
	if err != nil || r.Text != "read_file({path: string})\n  Reads a file." || !strings.Contains(string(b), `"of":1`) ||
		!strings.Contains(string(b), `"name":"read_file"`) {
		t.Errorf("%s: %s, %v", r.Text, b, err)
	}
	if r := find("", `{"query":7}`); r.Success || r.ErrorType != toolspec.ValidationError {
		t.Errorf("%+v", r)
	}
	long := strings.Repeat("w ", 200)
	if got := tools.Describe(toolspec.Call{Args: json.RawMessage(`{"query":"` + long + `"}`)}).Sentence; len(got) > 100 {
		t.Errorf("the card says %q", got)
	}
}
