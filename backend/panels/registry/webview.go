package registry

import (
	"path/filepath"

	"sextant/backend/panels/manifest"
)

// Webview is a panel's page of kind webview: where its files are and what it may reach.
type Webview struct {
	// Root is the folder of panels, Folder the panel's name in it.
	Root, Folder string
	CSP          manifest.CSP
	// Hidden are files of the folder that do not belong to the page, slash-separated.
	Hidden []string
}

// Webview is panel's page of kind webview, from its last valid manifest; false when it has none.
func (r *Registry) Webview(panel string) (Webview, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[panel]
	if !e.hasWebview() {
		return Webview{}, false
	}
	m := e.plan.Manifest
	page := Webview{Root: e.root, Folder: e.id, CSP: m.UI.CSP, Hidden: []string{manifest.FileName}}
	if b := m.Backend; b != nil {
		for _, word := range append([]string{b.File, b.Command}, b.Args...) {
			if word != "" && filepath.IsLocal(word) {
				page.Hidden = append(page.Hidden, filepath.ToSlash(filepath.Clean(word)))
			}
		}
	}
	return page, true
}

// Webviews are the panels that have a page of kind webview.
func (r *Registry) Webviews() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for id, e := range r.entries {
		if e.hasWebview() {
			ids = append(ids, id)
		}
	}
	return ids
}

func (e *entry) hasWebview() bool {
	return e != nil && !e.builtin && e.plan != nil && e.plan.Manifest.UI != nil && e.plan.Manifest.UI.Kind == "webview"
}

// pageURL is the address of e's page of kind webview, "" when it has none.
func (r *Registry) pageURL(e *entry) string {
	if !e.hasWebview() || r.cfg.PageURL == nil {
		return ""
	}
	return r.cfg.PageURL(e.id, e.plan.Manifest.UI.Entry)
}
