package registry

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal keeps what a Registry publishes.
type journal struct {
	mu     sync.Mutex
	events []event.Event
}

func (j *journal) Publish(e event.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) count(kind event.Kind) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, e := range j.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// eventually polls until holds returns true, and fails the test after a timeout.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// started is a running Registry over a fresh data folder.
func started(t *testing.T, change func(*Config)) (*Registry, *journal, string) {
	t.Helper()
	data := t.TempDir()
	j := &journal{}
	cfg := Config{Data: data, Publisher: j}
	if change != nil {
		change(&cfg)
	}
	r := New(cfg)
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r, j, filepath.Join(data, "panels")
}

// put writes files into folder under root, the manifest last as a copy may do it.
func put(t *testing.T, root, folder string, files map[string]string) {
	t.Helper()
	dir := filepath.Join(root, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Backward(slices.Sorted(mapKeys(files))) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func panel(r *Registry, id string) (event.Panel, bool) {
	list := r.Panels()
	at := slices.IndexFunc(list, func(p event.Panel) bool { return p.ID == id })
	if at < 0 {
		return event.Panel{}, false
	}
	return list[at], true
}

func waitFor(t *testing.T, r *Registry, id string) event.Panel {
	t.Helper()
	eventually(t, "panel "+id+" is listed", func() bool { _, ok := panel(r, id); return ok })
	p, _ := panel(r, id)
	return p
}

func definition(t *testing.T, r *Registry, tool string) toolspec.Definition {
	t.Helper()
	defs := r.AllDefinitions()
	at := slices.IndexFunc(defs, func(d toolspec.Definition) bool { return d.Name == tool })
	if at < 0 {
		t.Fatalf("no tool %s among %v", tool, defs)
	}
	return defs[at]
}

// call runs a tool as the Pipeline does: describe, then execute.
func call(t *testing.T, r *Registry, tool, args string) toolspec.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return callIn(ctx, t, r, tool, args)
}

func callIn(ctx context.Context, t *testing.T, r *Registry, tool, args string) toolspec.Result {
	t.Helper()
	c := toolspec.Call{ID: "c-" + t.Name(), Tool: tool, Args: json.RawMessage(args)}
	r.Describe(c)
	result, err := r.Execute(ctx, c, definition(t, r, tool), nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func mustFail(t *testing.T, r toolspec.Result, kind toolspec.ErrorType, words ...string) {
	t.Helper()
	if r.Success || r.ErrorType != kind {
		t.Fatalf("got %+v, want a %s", r, kind)
	}
	for _, w := range words {
		if !strings.Contains(r.Error+" | "+r.Suggestion, w) {
			t.Errorf("error %q (%s) does not say %q", r.Error, r.Suggestion, w)
		}
	}
}

func mustSucceed(t *testing.T, r toolspec.Result) string {
	t.Helper()
	if !r.Success {
		t.Fatalf("failed: %s (%s)", r.Error, r.Suggestion)
	}
	return r.ModelText()
}

// minimal is the smallest manifest of panel id, with more members.
func minimal(id, more string) string {
	return `{"panel_id": "` + id + `", "panel_type": "test", "title": "Test ` + id + `"` + more + `}`
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error { return err })
	if err != nil {
		t.Fatal(err)
	}
}
