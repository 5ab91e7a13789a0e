package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/panels/authoring"
	"sextant/backend/panels/evals"
)

// The evals of the samples hold: real calls through the Pipeline, to a script, a program and an MCP
// server of their own.
func TestTheEvalsOfTheSamplesHold(t *testing.T) {
	flags := testFlags(t)
	for _, example := range []string{"habits", "reading-list", "glossary"} {
		archive, err := authoring.Pack(filepath.Join("../../docs/examples", example))
		if err != nil {
			t.Fatal(err)
		}
		found, err := authoring.Open(archive)
		if err == nil {
			_, err = found.Install(filepath.Join(flags["data"], "panels"))
		}
		if err != nil {
			t.Fatal(err)
		}
		code, out, errs := verb(t, flags, "panels", "eval", example, "--yes-to", "all")
		if code != exitDone || !strings.Contains(out, "4 of 4 passed") {
			t.Errorf("%s: %d %s %s", example, code, out, errs)
		}
	}
	if code, out, _ := verb(t, flags, "panels", "eval", "glossary"); code != exitFailed ||
		!strings.Contains(out, "nobody to ask") {
		t.Errorf("without a yes its program was started: %d %s", code, out)
	}
}

func TestAnEvalThatDoesNotHoldEndsTheRunWithItsReason(t *testing.T) {
	flags := testFlags(t)
	folder := filepath.Join(flags["data"], "panels", "sums")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"backend.js": "handlers.sums_add = async ({ a, b }) => ({ sum: a + b + 1 })\n",
		"manifest.json": `{"panel_id": "sums", "panel_type": "x", "title": "Sums", "backend": {"kind": "script", "file": "backend.js"},
			"tools": [{"name": "sums_add", "description": "Adds.", "endpoint": "GET /api/sums/add", "parameters": {"a": {"type": "integer"}, "b": {"type": "integer"}}}],
			"evals": [{"name": "two and two", "tool": "sums_add", "args": {"a": 2, "b": 2}, "expect": {"equals": {"/sum": 4}}}]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := verb(t, flags, "panels", "eval", "sums", "--yes-to", "all", "--json")
	var done struct {
		Outcomes []evals.Outcome `json:"outcomes"`
	}
	if err := json.Unmarshal([]byte(out), &done); err != nil || code != exitFailed || len(done.Outcomes) != 1 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if o := done.Outcomes[0]; o.State != evals.Failed || !strings.Contains(o.Why, "has 5, not 4") ||
		string(o.Args) == "" {
		t.Errorf("got %+v", o)
	}
}
