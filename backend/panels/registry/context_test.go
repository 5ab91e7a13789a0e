package registry

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPublishedContextIsDeclaredAndBounded(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	write(t, root, "notes", minimal("notes", `,"context":["file","a","b","c","d","e"],"tools":[]`))
	waitFor(t, r, "notes")
	long := json.RawMessage(`"` + strings.Repeat("x", 15<<10) + `"`)
	for _, c := range []struct {
		values map[string]json.RawMessage
		want   string
	}{
		{
			map[string]json.RawMessage{"file": json.RawMessage(`"a"`), "other": json.RawMessage(`1`)},
			`does not publish "other"`,
		},
		{
			map[string]json.RawMessage{"file": json.RawMessage(`"` + strings.Repeat("x", maxContext) + `"`)},
			`"file" has`,
		},
		{map[string]json.RawMessage{"file": json.RawMessage(`{`)}, `"file" is not JSON`},
		{map[string]json.RawMessage{"a": long, "b": long, "c": long, "d": long, "e": long}, "together"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if err := r.PublishContext("notes", c.values); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if len(r.context["notes"]) != 0 {
		t.Errorf("refused values were kept: %v", r.context["notes"])
	}
	if err := r.PublishContext("notes", map[string]json.RawMessage{"file": json.RawMessage(`"a"`)}); err != nil {
		t.Error(err)
	}
	if err := r.PublishContext("nowhere", nil); !errors.Is(err, ErrNoPanel) {
		t.Errorf("got %v", err)
	}
	if err := os.RemoveAll(filepath.Join(root, "notes")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the panel is gone", func() bool { _, ok := panel(r, "notes"); return !ok })
	if err := r.PublishContext("notes", nil); !errors.Is(err, ErrNoPanel) {
		t.Errorf("a removed panel publishes: %v", err)
	}
}
