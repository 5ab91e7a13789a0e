// Package codeeditor is the Go side of the code editor panel: its tools, and what is open and unsaved
// in it.
//
// The file tools do the work (panels.FileHandler), with the same access, the same check that a file is
// unchanged since it was read, and the same undo. Open tabs and unsaved text belong to the window,
// which reports them (Keep, KeepDraft); they are stored on disk so that nothing typed is lost, and the
// tools read them. A tool that only shows something just answers; the window sees the call's event and
// shows it.
package codeeditor

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"sextant/panels"
	"sextant/shared/toolspec"
)

// Files is the part of the file tools that the panel needs.
type Files interface {
	panels.Files
	// Real is the absolute path of a call's path, with links followed.
	Real(path string) (string, error)
}

// Panel is the http.Handler of the panel's endpoints. It is safe for concurrent use.
type Panel struct {
	*panels.FileHandler
	*StateStore
	files Files
}

// New makes the panel with its stored state.
func New(files Files, kept *StateStore) *Panel {
	p := &Panel{StateStore: kept, files: files}
	p.FileHandler = panels.NewFileHandler(
		files,
		panels.FileAction{Tool: "editor_open_file", Endpoint: "GET /api/code-editor/file", As: open},
		panels.FileAction{Tool: "editor_save_file", Endpoint: "POST /api/code-editor/file/save", As: p.save},
		panels.FileAction{Tool: "editor_get_open_files", Endpoint: "GET /api/code-editor/files", Do: p.list},
		panels.FileAction{Tool: "editor_find_in_files", Endpoint: "GET /api/code-editor/find", As: find},
		panels.FileAction{
			Tool: "editor_show_diff", Endpoint: "POST /api/code-editor/diff", As: see,
			Then: shown("The user sees the differences in the editor."),
		},
		panels.FileAction{
			Tool: "editor_reveal_line", Endpoint: "POST /api/code-editor/reveal", As: see,
			Then: shown("The user sees the line in the editor."),
		},
	)
	return p
}

type path struct {
	Path     string `json:"path"`
	FilePath string `json:"filePath"`
}

// open reads the file, so that the conversation may save it later.
func open(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var p path
	bad = panels.Args(call, &p)
	return "read_file", map[string]any{"path": p.Path}, bad
}

// see checks that the file exists and may be read.
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
	if real, err := p.files.Real(a.FilePath); err == nil && call.From.Caller != toolspec.CallerPerson &&
		p.Unsaved(real) {
		r := toolspec.Fail(toolspec.UserError, a.FilePath+" has unsaved changes in the editor, so it was not written",
			"Ask the user to save or discard them, or show your changes with editor_show_diff.")
		return "", nil, &r
	}
	out := map[string]any{"path": a.FilePath, "content": a.Content}
	if a.Version != nil {
		out["version"] = *a.Version
	}
	return "hand_save", out, nil
}

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
