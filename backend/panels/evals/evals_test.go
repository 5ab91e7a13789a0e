package evals

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// notes is a list that add puts a text into and show answers with.
func notes() CallFunc {
	var kept []string
	return func(_ context.Context, tool string, raw json.RawMessage) toolspec.Result {
		var args struct {
			Text string `json:"text"`
			ID   *int   `json:"id"`
		}
		if err := json.Unmarshal(raw, &args); err != nil {
			return toolspec.Fail(toolspec.ValidationError, err.Error(), "")
		}
		switch {
		case tool == "add":
			kept = append(kept, args.Text)
			return toolspec.OK(map[string]any{"id": len(kept), "text": args.Text})
		case args.ID == nil || *args.ID < 1 || *args.ID > len(kept):
			return toolspec.Fail(toolspec.UserError, fmt.Sprintf("there is no note %s", raw), "Look again.")
		}
		return toolspec.OK(map[string]any{"note": kept[*args.ID-1], "of": len(kept)})
	}
}

func listed(t *testing.T, text string) []manifest.Eval {
	t.Helper()
	var list []manifest.Eval
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEvalsRunInOrder(t *testing.T) {
	for i, o := range Run(t.Context(), listed(t, `[
		{"name": "a note is kept", "tool": "add", "args": {"text": "say \"hi\""}, "as": "added", "expect": {"contains": ["say \"hi\""], "equals": {"/id": 1.0}}},
		{"tool": "get", "args": {"id": "{added.id}"}, "expect": {"equals": {"/note": "say \"hi\"", "": {"note": "say \"hi\"", "of": 1}}}},
		{"tool": "get", "args": {"id": 7}, "expect": {"success": false, "contains": ["no note", "Look again"]}},
		{"tool": "add", "args": {"text": "{added.text}"}}
	]`), notes()) {
		if o.State != StatePassed || o.Reason != "" || o.Answer == "" {
			t.Errorf("%d: %+v", i, o)
		}
	}
}

func TestFailedEvalNamesDifference(t *testing.T) {
	outcomes := Run(t.Context(), listed(t, `[
		{"tool": "get", "args": {"id": 1}, "as": "got"},
		{"tool": "add", "args": {"text": "a"}, "expect": {"success": false}},
		{"tool": "add", "args": {"text": "a"}, "expect": {"contains": ["b"]}},
		{"tool": "add", "args": {"text": "a"}, "expect": {"equals": {"/id": "3"}}},
		{"tool": "add", "args": {"text": "a"}, "expect": {"equals": {"/at/0": 1}}},
		{"tool": "get", "args": {"id": "{got.id}"}},
		{"prompt": "Keep a note"}
	]`), notes())
	for i, want := range []struct{ state, why string }{
		{StateFailed, "the call failed: there is no note"},
		{StateFailed, "should have failed"},
		{StateFailed, `does not contain "b"`},
		{StateFailed, `at "/id" the answer has 3, not "3"`},
		{StateFailed, `nothing at "/at/0"`},
		{StateSkipped, `needs the answer "got"`},
		{StateSkipped, "it has a prompt but no tool"},
	} {
		if o := outcomes[i]; o.State != want.state || !strings.Contains(o.Reason, want.why) {
			t.Errorf("%d: %+v, want %s: %s", i, o, want.state, want.why)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if o := Run(ended, listed(t, `[{"tool": "add", "args": {"text": "a"}}]`), notes()); o[0].State != StateSkipped {
		t.Errorf("after the end: %+v", o)
	}
}
