// Package codeeditor is the code editor panel's own part behind its page: its tools, and what is
// open and unsaved in it.
//
// The tools are done by the tools for files (panels.Desk): the same places, the same check that a
// file is as it was read, the same undo. What is open, and text that is not saved, is the
// window's: it tells us (Keep, KeepDraft), we keep it on disk so that nothing typed is lost with
// the window or the program, and the tools read it. A tool that is to be seen does nothing here
// but answer; the window hears of the call and shows it.
package codeeditor

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"sextant/panels"
	"sextant/shared/toolspec"
)

// Files is what the panel needs of the tools for files.
type Files interface {
	panels.Files
	// Real is the absolute path that a call's path leads to.
	Real(path string) (string, error)
}

// Panel is a http.Handler for the panel's endpoints. It may be used concurrently.
type Panel struct {
	*panels.Desk
	*Kept
	files Files
}

// New makes the panel over what was kept.
func New(files Files, kept *Kept) *Panel {
	p := &Panel{Kept: kept, files: files}
	p.Desk = panels.NewDesk(
		files,
		panels.Deed{Tool: "editor_open_file", Endpoint: "GET /api/code-editor/file", As: open},
		panels.Deed{Tool: "editor_save_file", Endpoint: "POST /api/code-editor/file/save", As: p.save},
		panels.Deed{Tool: "editor_get_open_files", Endpoint: "GET /api/code-editor/files", Do: p.list},
		panels.Deed{Tool: "editor_find_in_files", Endpoint: "GET /api/code-editor/find", As: find},
		panels.Deed{Tool: "editor_show_diff", Endpoint: "POST /api/code-editor/diff", As: see, Then: shown("The person sees the differences in the editor.")},
		panels.Deed{Tool: "editor_reveal_line", Endpoint: "POST /api/code-editor/reveal", As: see, Then: shown("The person sees the line in the editor.")},
	)
	return p
}

type path struct {
	Path     string `json:"path"`
	FilePath string `json:"filePath"`
}

// open reads the file, so that the conversation knows it when it saves.
func open(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var p path
	bad = panels.Args(call, &p)
	return "read_file", map[string]any{"path": p.Path}, bad
}

// see judges that the file may be looked at and is there.
func see(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var p path
	bad = panels.Args(call, &p)
	return "file_info", map[string]any{"path": p.FilePath}, bad
}

func shown(text string) func(context.Context, toolspec.Call, toolspec.Result) toolspec.Result {
	return func(_ context.Context, _ toolspec.Call, r toolspec.Result) toolspec.Result {
		if r.Success {
			r.Text, r.Sentence = text, ""
		}
		return r
	}
}

func (p *Panel) save(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var a struct {
		FilePath string  `json:"filePath"`
		Content  string  `json:"content"`
		Version  *string `json:"version,omitempty"`
	}
	if bad := panels.Args(call, &a); bad != nil {
		return "", nil, bad
	}
	if real, err := p.files.Real(a.FilePath); err == nil && call.From.Caller != toolspec.CallerPerson && p.Unsaved(real) {
		r := toolspec.Fail(toolspec.UserError, a.FilePath+" has changes in the editor that the person has not saved, so it was not written to",
			"Ask them to save or discard them, or show yours with editor_show_diff.")
		return "", nil, &r
	}
	out := map[string]any{"path": a.FilePath, "content": a.Content}
	if a.Version != nil {
		out["version"] = *a.Version
	}
	return "hand_save", out, nil
}

// maxHits bounds what one search shows.
const maxHits = 500

func find(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var a struct {
		Query string `json:"query"`
		Regex bool   `json:"regex"`
		Case  bool   `json:"case"`
		Glob  string `json:"glob"`
	}
	bad = panels.Args(call, &a)
	pattern := a.Query
	if !a.Regex {
		pattern = regexp.QuoteMeta(pattern)
	}
	if !a.Case {
		pattern = "(?i)" + pattern
	}
	return "search_files", map[string]any{"pattern": pattern, "glob": a.Glob, "limit": maxHits}, bad
}

func (p *Panel) list(context.Context, toolspec.Call) toolspec.Result {
	state := p.State()
	r := toolspec.OK(state)
	var b strings.Builder
	for _, tab := range state.Tabs {
		fmt.Fprintf(&b, "%s, cursor at line %d", tab.Shown, max(tab.Line, 1))
		if tab.Path == state.Active {
			b.WriteString(", in front")
		}
		if tab.Unsaved {
			b.WriteString(", unsaved changes")
		}
		b.WriteByte('\n')
	}
	if state.Selection != "" {
		fmt.Fprintf(&b, "Selected in the one in front:\n%s\n", state.Selection)
	}
	r.Text = b.String()
	if len(state.Tabs) == 0 {
		r.Text = "No file is open in the editor."
	}
	return r
}
