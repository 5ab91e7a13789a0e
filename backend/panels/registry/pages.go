package registry

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/backend/panels/view"
	"sextant/shared/event"
)

type pageState struct {
	// seen identifies the page that was last checked. waiting identifies an invalid page that may still be incomplete.
	seen, waiting string
	since         time.Time
	tree          *view.Tree
	problems      []manifest.Problem
	// revision increases whenever the page may have changed.
	revision int
}

// While patient, an invalid page is not applied, because it may be incomplete. The caller holds r.mu.
func (r *Registry) updatePage(e *entry, patient bool) (again time.Duration) {
	if e == nil || e.builtin || e.plan == nil {
		return 0
	}
	p, ui := &e.page, e.plan.Manifest.UI
	if ui == nil {
		p.seen, p.waiting, p.tree, p.problems = "", "", nil, nil
		return 0
	}
	fingerprint := fmt.Sprintf("%x %s", e.seen, pageFiles(e.dir(), ui))
	if fingerprint == p.seen {
		p.waiting = ""
		return 0
	}
	tree, problems := manifest.ReadPage(e.dir(), e.plan)
	if len(problems) > 0 && patient {
		if p.waiting != fingerprint {
			p.waiting, p.since = fingerprint, r.cfg.now()
		}
		if left := settle - r.cfg.now().Sub(p.since); left > 0 {
			return left
		}
	}
	p.seen, p.waiting, p.problems = fingerprint, "", problems
	if len(problems) > 0 {
		r.log.Warn("panel page has problems", "panel", e.id, "problem", problems[0].String())
		return 0
	}
	p.tree = tree
	p.revision++
	return 0
}

const maxPageFiles = 2000

func pageFiles(dir string, ui *manifest.UI) string {
	var id strings.Builder
	add := func(path string, info fs.FileInfo) {
		if info.Mode().IsRegular() {
			fmt.Fprintf(&id, " %s %d %d", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	if !filepath.IsLocal(ui.Entry) {
		return ""
	}
	if ui.Kind != "webview" {
		entry := filepath.Join(dir, ui.Entry)
		if info, err := os.Stat(entry); err == nil {
			add(entry, info)
		}
		return id.String()
	}
	left := maxPageFiles
	// A file that cannot be read is skipped. It counts as changed once it can be read.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		if d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil {
			add(path, info)
		}
		return nil
	})
	return id.String()
}

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

func pageProblems(e *entry) []manifest.Problem {
	if len(e.page.problems) == 0 {
		return nil
	}
	list := slices.Clone(e.page.problems)
	if e.page.tree != nil {
		list = append(list, manifest.Problem{
			Text:     "The last valid page stays in use.",
			Severity: event.SeverityWarning,
		})
	}
	return list
}

// Page returns the declarative page of a panel. It returns false if there is no valid one.
func (r *Registry) Page(panel string) (view.Tree, bool) {
	page := r.state.Load().pages[panel]
	return *cmp.Or(page, &view.Tree{}), page != nil
}
