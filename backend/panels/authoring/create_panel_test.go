package authoring

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/panels/registry"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type discardPublisher struct{}

func (discardPublisher) Publish(event.Event) {}

// harness is the tools over a running registry; opened are the panels it showed.
type harness struct {
	*Tools
	t      *testing.T
	reg    *registry.Registry
	folder string
	opened []string
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	data := t.TempDir()
	w := &harness{t: t, folder: filepath.Join(data, "panels")}
	w.reg = registry.New(registry.Config{Data: data, Publisher: discardPublisher{}})
	if err := w.reg.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.reg.Close)
	w.Tools = NewTools(Config{
		Folder: w.folder, Registry: w.reg, Reserved: func() []string { return []string{"read_file"} },
		Open: func(_ context.Context, panel string) error { w.opened = append(w.opened, panel); return nil },
	})
	return w
}

func (h *harness) make(args map[string]any) toolspec.Result {
	h.t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := h.Execute(h.t.Context(), toolspec.Call{Tool: createName, Args: text}, toolspec.Definition{}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// shelf are the arguments of a panel whose endpoints are answered at url.
func shelf(url string) map[string]any {
	return map[string]any{
		"panel_id": "shelf", "title": "Shelf", "description": "Books to read",
		"manifest": map[string]any{"backend": map[string]any{"kind": "http", "url": url}},
		"tools": []map[string]any{
			{
				"name": "shelf_show", "description": "Shows the books.", "endpoint": "GET /api/shelf/books",
				"parameters": map[string]any{},
			},
		},
		"page": map[string]any{
			"source": map[string]any{"tool": "shelf_show"},
			"children": []any{map[string]any{
				"kind": "list", "from": "/books",
				"item": map[string]any{"title": "{title}"},
			}},
		},
	}
}

func TestCreatePanel(t *testing.T) {
	books := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"books":[{"title":"Emma"}]}`))
	}))
	defer books.Close()
	w := newHarness(t)
	r := w.make(shelf(books.URL))
	if !r.Success || !strings.Contains(r.Text, "Its tools: shelf_show") || len(w.opened) != 1 {
		t.Fatalf("got %+v, opened %v", r, w.opened)
	}
	call := toolspec.Call{ID: "c", Tool: "shelf_show", Args: json.RawMessage(`{}`)}
	w.reg.Describe(call)
	answer, err := w.reg.Execute(t.Context(), call, w.reg.AllDefinitions()[0], nil)
	if err != nil || !answer.Success || !strings.Contains(answer.ModelText(), "Emma") {
		t.Fatalf("its tool answers %+v, %v", answer, err)
	}
	if page, ok := w.reg.Page("shelf"); !ok || page.Children[0].Kind != "list" {
		t.Error("it has no page")
	}

	changed := shelf(books.URL)
	changed["title"] = "My shelf"
	if r := w.make(changed); r.Success || !strings.Contains(r.Error, "there is already a panel shelf") {
		t.Errorf("it was replaced without a word: %+v", r)
	}
	kept := filepath.Join(w.folder, "shelf", "books.json")
	if err := os.WriteFile(kept, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed["replace"] = true
	if r := w.make(changed); !r.Success || !strings.Contains(r.Sentence, "My shelf") {
		t.Fatalf("replacing: %+v", r)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("what the panel kept is gone")
	}
}

func TestCreatePanelErrors(t *testing.T) {
	w := newHarness(t)
	bad := shelf("http://127.0.0.1:9")
	bad["tools"] = []map[string]any{
		{
			"name": "shelf_show", "description": "Shows the books.", "endpoint": "GET /api/other/books",
			"parameters": map[string]any{},
		},
		{
			"name": "read_file", "description": "Reads.", "endpoint": "GET /api/shelf/file",
			"parameters": map[string]any{},
		},
	}
	r := w.make(bad)
	if r.Success || r.ErrorType != toolspec.ValidationError || !strings.Contains(r.Error, "/api/shelf/") ||
		!strings.Contains(r.Suggestion, "Nothing was written") {
		t.Errorf("got %+v", r)
	}
	page := shelf("http://127.0.0.1:9")
	page["page"] = map[string]any{"children": []any{map[string]any{
		"kind":   "list",
		"source": map[string]any{"tool": "shelf_shwo"},
	}, map[string]any{"kind": "chrat"}}}
	r = w.make(page)
	for _, words := range []string{
		`did you mean "shelf_show"`, `did you mean "chart"`,
		`Right would be: "item": {"title": "{title}"}`,
	} {
		if !strings.Contains(r.Error, words) {
			t.Errorf("%q is missing in %s", words, r.Error)
		}
	}
	for name, files := range map[string]map[string]string{
		"out": {"../out.mjs": ""}, "absolute": {"/tmp/x": ""}, "hidden": {".sextant/bridge.js": ""},
		"manifest": {"manifest.json": "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			named := shelf("http://127.0.0.1:9")
			named["files"] = files
			if r := w.make(named); r.Success || !strings.Contains(r.Error, "not a valid file name") {
				t.Errorf("%s: %+v", name, r)
			}
		})
	}
	if entries, err := os.ReadDir(w.folder); err != nil || len(entries) > 0 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
	if len(w.opened) > 0 {
		t.Error("something was opened")
	}
}

func TestCreatePanelDescription(t *testing.T) {
	w := newHarness(t)
	args := shelf("https://books.example")
	args["manifest"].(map[string]any)["permissions"] = map[string]any{"net": []string{"books.example"}}
	args["files"] = map[string]string{"notes.txt": "the whole text"}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	d := w.Describe(toolspec.Call{Args: text})
	for _, words := range []string{
		"Network: books.example", "Answers by: http", "notes.txt:\nthe whole text",
		"manifest.json:", `"shelf_show"`, "page.json:",
	} {
		if !strings.Contains(d.Data, words) {
			t.Errorf("%q is missing in:\n%s", words, d.Data)
		}
	}
	if d.Sentence != "Making the panel shelf" || !w.Definitions("")[0].Hints.Confirm {
		t.Errorf("shown as %q", d.Sentence)
	}
	if err := os.MkdirAll(filepath.Join(w.folder, "shelf"), 0o700); err != nil {
		t.Fatal(err)
	}
	args["replace"] = true
	if text, err = json.Marshal(args); err != nil {
		t.Fatal(err)
	}
	if d := w.Describe(toolspec.Call{Args: text}); !strings.Contains(d.Sentence, "which the assistant did not make") {
		t.Errorf("a person's panel would be replaced as %q", d.Sentence)
	}
}

func TestTemplatesAreComplete(t *testing.T) {
	w := newHarness(t)
	for id, template := range map[string]string{"shopping-list": "list", "chores": "board"} {
		t.Run(template, func(t *testing.T) {
			began := time.Now()
			if r := w.make(map[string]any{"panel_id": id, "template": template}); !r.Success {
				t.Errorf("%s: %+v", template, r)
			}
			t.Logf("%s made and running after %s", template, time.Since(began).Round(time.Millisecond))
		})
	}
}
