package registry

import (
	"testing"

	"sextant/backend/panels/manifest"
)

func TestPageRevisionGrows(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, func(c *Config) {
		c.PageURL = func(panel, entry string) string { return "http://pages/" + panel + "/" + entry }
	})
	text := minimal(
		"notes",
		`,"tools":[],"backend":{"kind":"process","command":"node","args":["server.mjs"]},"ui":{"kind":"webview","entry":"ui/index.html"}`,
	)
	put(t, root, "notes", map[string]string{manifest.FileName: text, "server.mjs": "", "ui/index.html": "one"})
	eventually(t, "the panel has a page", func() bool { p, _ := panel(r, "notes"); return p.Page.Revision > 0 })
	p, _ := panel(r, "notes")
	if p.Page.Kind != "webview" || p.Page.URL != "http://pages/notes/ui/index.html" {
		t.Errorf("%+v", p.Page)
	}
	page, ok := r.Webview("notes")
	if !ok || page.Root != root || page.Folder != "notes" || len(page.HiddenFiles) != 3 {
		t.Errorf("%+v %v", page, ok)
	}
	put(t, root, "notes", map[string]string{"ui/index.html": "another"})
	eventually(t, "the change is published", func() bool {
		now, _ := panel(r,
			"notes")
		return now.Page.Revision > p.Page.Revision
	})
	if _, ok := r.Webview("gone"); ok {
		t.Error("a panel that is not there has a page")
	}
}
