package registry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sextant/shared/event"
)

const shelfManifest = `{
  "panel_id": "shelf", "panel_type": "list", "title": "Shelf", "version": "1.0.0",
  "ui": {"kind": "declarative", "entry": "page.json"},
  "backend": {"kind": "http", "url": "http://127.0.0.1:9"},
  "tools": [{"name": "shelf_show", "description": "Shows it.", "endpoint": "GET /api/shelf/books", "parameters": {}}]
}`

const shelfPage = `{"source": {"tool": "shelf_show"}, "children": [{"kind": "list", "from": "/books", "item": {"title": "{title}"}}]}`

func TestPageIsReloaded(t *testing.T) {
	t.Parallel()
	r, j, root := started(t, nil)
	put(t, root, "shelf", map[string]string{"manifest.json": shelfManifest, "page.json": shelfPage})
	p := waitFor(t, r, "shelf")
	eventually(t, "the page is there", func() bool { p, _ = panel(r, "shelf"); return p.Page.Kind == "declarative" })
	if len(p.Problems) > 0 {
		t.Fatalf("problems: %v", p.Problems)
	}
	page, ok := r.Page("shelf")
	if !ok || page.Children[0].Item.Title != "{title}" {
		t.Fatalf("the page is %+v", page)
	}
	before, published := p.Page.Revision, j.count(event.PanelsChanged)

	put(t, root, "shelf", map[string]string{"page.json": strings.Replace(shelfPage, "{title}", "{name}", 1)})
	eventually(t, "the changed page is published", func() bool {
		p, _ = panel(r, "shelf")
		page, _ = r.Page("shelf")
		return p.Page.Revision > before && page.Children[0].Item.Title == "{name}"
	})
	eventually(t, "the change is published", func() bool { return j.count(event.PanelsChanged) > published })

	put(t, root, "shelf", map[string]string{"page.json": strings.Replace(shelfPage, "shelf_show", "shelf_shwo", 1)})
	eventually(t, "the problem is published", func() bool { p, _ = panel(r, "shelf"); return len(p.Problems) > 0 })
	all := strings.Join(texts(p), " | ")
	if !strings.Contains(all, `did you mean "shelf_show"`) || !strings.Contains(all, "The last valid page stays") {
		t.Errorf("got: %s", all)
	}
	if page, ok := r.Page("shelf"); !ok || page.Children[0].Item.Title != "{name}" {
		t.Error("the last good page is gone")
	}
	if !p.Usable || len(p.Tools) != 1 {
		t.Errorf("a bad page took the tools: %+v", p)
	}
}

func TestMissingPageIsReported(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	put(t, root, "shelf", map[string]string{"manifest.json": shelfManifest})
	var p event.Panel
	eventually(t, "the problem is published", func() bool { p, _ = panel(r, "shelf"); return len(p.Problems) > 0 })
	if _, ok := r.Page("shelf"); ok || p.Page.Kind != "" || !strings.Contains(texts(p)[0], "page.json is missing") {
		t.Errorf("shown as %+v", p)
	}
	if err := os.WriteFile(filepath.Join(root, "shelf", "page.json"), []byte(shelfPage), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page came", func() bool { _, ok := r.Page("shelf"); return ok })
	p, _ = panel(r, "shelf")
	if slices.ContainsFunc(texts(p), func(s string) bool { return strings.Contains(s, "missing") }) {
		t.Errorf("the problem stays: %v", p.Problems)
	}
}

// texts are a panel's problems as sentences.
func texts(p event.Panel) []string { return p.ProblemLines() }
