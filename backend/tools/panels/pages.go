package panels

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/backend/tools/panels/manifest"
	"sextant/backend/tools/panels/view"
	"sextant/shared/event"
)

// pageState is what is known of a panel's page. A page that turns bad is told with its
// problems while the last good one stays.
type pageState struct {
	// seen is what was last judged; waiting is a bad page that may still be written.
	seen, waiting string
	since         time.Time
	tree          *view.Tree
	problems      []manifest.Problem
	// revision grows whenever the page may look different.
	revision int
}

// lookAtPage takes over what changed of e's page; the result is when to look again, 0 for no
// hurry.
func (r *Registry) lookAtPage(e *entry, patient bool) (again time.Duration) {
	if e == nil || e.builtin || e.plan == nil {
		return 0
	}
	p, ui := &e.page, e.plan.Manifest.UI
	if ui == nil {
		p.seen, p.waiting, p.tree, p.problems = "", "", nil, nil
		return 0
	}
	print := fmt.Sprintf("%x %s", e.seen, pageFiles(e.dir(), ui))
	if print == p.seen {
		p.waiting = ""
		return 0
	}
	tree, problems := manifest.ReadPage(e.dir(), e.plan)
	if len(problems) > 0 && patient {
		if p.waiting != print {
			p.waiting, p.since = print, r.cfg.now()
		}
		if left := settle - r.cfg.now().Sub(p.since); left > 0 {
			return left
		}
	}
	p.seen, p.waiting, p.problems = print, "", problems
	if len(problems) > 0 {
		r.log.Warn("panel page has problems", "panel", e.id, "problem", problems[0].String())
		return 0
	}
	p.tree = tree
	p.revision++
	return 0
}

// pageFiles identifies by size and time the files that make a page: the entry, and for a
// webview what lies beside it that a page is made of.
func pageFiles(dir string, ui *manifest.UI) string {
	var id strings.Builder
	add := func(path string) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(&id, " %s %d %d", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	if !filepath.IsLocal(ui.Entry) {
		return ""
	}
	entry := filepath.Join(dir, ui.Entry)
	add(entry)
	if ui.Kind != "webview" {
		return id.String()
	}
	list, err := os.ReadDir(filepath.Dir(entry))
	if err != nil {
		return id.String()
	}
	parts := []string{".html", ".htm", ".js", ".mjs", ".css", ".svg", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".woff2", ".wasm"}
	for _, d := range list[:min(len(list), maxFolders)] {
		if slices.Contains(parts, strings.ToLower(filepath.Ext(d.Name()))) {
			add(filepath.Join(filepath.Dir(entry), d.Name()))
		}
	}
	return id.String()
}

// pageView is e's page as the window needs it: a panel without one, or whose page was never
// good, is shown as the list of its tools.
func pageView(e *entry) event.PanelPage {
	if e.builtin {
		return event.PanelPage{Kind: "builtin"}
	}
	if e.plan == nil || e.plan.Manifest.UI == nil {
		return event.PanelPage{}
	}
	page := event.PanelPage{Kind: e.plan.Manifest.UI.Kind, Revision: e.page.revision}
	if page.Kind == "declarative" && e.page.tree == nil {
		page.Kind = ""
	}
	return page
}

// pageProblems are e's problems with its page, which keep the panel's tools as they are.
func pageProblems(e *entry) []manifest.Problem {
	if len(e.page.problems) == 0 {
		return nil
	}
	list := slices.Clone(e.page.problems)
	if e.page.tree != nil {
		list = append(list, manifest.Problem{Text: "The last good page stays.", Severity: event.SeverityWarning})
	}
	return list
}

// Page is the declarative page of a panel; false when the panel has none that is good.
func (r *Registry) Page(panel string) (view.Tree, bool) {
	page := r.state.Load().pages[panel]
	return *cmp.Or(page, &view.Tree{}), page != nil
}
