package registry

import (
	"path/filepath"

	"sextant/backend/panels/manifest"
)

// Webview describes a panel's page of kind webview: the location of its files and the origins that it may use.
type Webview struct {
	// Root is the folder of panels, and Folder the name of the panel's folder in it.
	Root, Folder string
	CSP          manifest.CSP
	// HiddenFiles contains files of the folder that must not be served to the page: the manifest and the files that its
	// backend names. The separators are slashes.
	HiddenFiles []string
}

// Webview returns the panel's page of kind webview according to its last valid manifest. It returns false if there is
// none.
func (r *Registry) Webview(panel string) (Webview, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[panel]
	if !e.hasWebview() {
		return Webview{}, false
	}
	m := e.plan.Manifest
	page := Webview{Root: e.root, Folder: e.id, CSP: m.UI.CSP, HiddenFiles: []string{manifest.FileName}}
	if b := m.Backend; b != nil {
		for _, word := range append([]string{b.File, b.Command}, b.Args...) {
			if word != "" && filepath.IsLocal(word) {
				page.HiddenFiles = append(page.HiddenFiles, filepath.ToSlash(filepath.Clean(word)))
			}
		}
	}
	return page, true
}

// Webviews returns the ids of the panels with a page of kind webview, in any order.
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

func (r *Registry) pageURL(e *entry) string {
	if !e.hasWebview() || r.cfg.PageURL == nil {
		return ""
	}
	return r.cfg.PageURL(e.id, e.plan.Manifest.UI.Entry)
}
