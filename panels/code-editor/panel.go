// Package codeeditor is the backend of the code editor panel: its tools, its open files and its unsaved text.
//
// The file tools do the work (panels.FileHandler), with the same access, the same check that a file is unchanged since
// it was read, and the same undo. The window reports its open tabs and unsaved text (SaveState, SaveDraft), which are
// stored on disk so that nothing typed is lost.
package codeeditor

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"sextant/panels"
	"sextant/shared/toolspec"
)

// Files contains the methods of the file tools that the panel needs.
type Files interface {
	panels.Files
	// RealPath returns the absolute path of a path in a call, with links resolved.
	RealPath(path string) (string, error)
}

// Panel is the http.Handler of the panel's endpoints. It is safe for concurrent use.
type Panel struct {
	*panels.FileHandler
	*StateStore
	files Files
}

// New returns a Panel that uses the file tools and the state in store.
func New(files Files, store *StateStore) *Panel {
	p := &Panel{StateStore: store, files: files}
	p.FileHandler = panels.NewFileHandler(
		files,
		panels.FileAction{Tool: "editor_open_file", Endpoint: "GET /api/code-editor/file", Translate: open},
		panels.FileAction{Tool: "editor_save_file", Endpoint: "POST /api/code-editor/file/save", Translate: p.save},
		panels.FileAction{Tool: "editor_get_open_files", Endpoint: "GET /api/code-editor/files", Run: p.list},
		panels.FileAction{Tool: "editor_find_in_files", Endpoint: "GET /api/code-editor/find", Translate: find},
		panels.FileAction{
			Tool: "editor_show_diff", Endpoint: "POST /api/code-editor/diff", Translate: requireFile,
			Finish: replaceText("The user sees the differences in the editor."),
		},
		panels.FileAction{
			Tool: "editor_reveal_line", Endpoint: "POST /api/code-editor/reveal", Translate: requireFile,
			Finish: replaceText("The user sees the line in the editor."),
		},
	)
	return p
}

type path struct {
	Path     string `json:"path"`
	FilePath string `json:"filePath"`
}

// open translates the call to read_file, so that the conversation may save the file later.
func open(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var p path
	bad = panels.DecodeArgs(call, &p)
	return "read_file", map[string]any{"path": p.Path}, bad
}

// requireFile translates the call to file_info, which fails if the file does not exist or may not be read.
func requireFile(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var p path
	bad = panels.DecodeArgs(call, &p)
	return "file_info", map[string]any{"path": p.FilePath}, bad
}

func replaceText(text string) func(context.Context, toolspec.Call, toolspec.Result) toolspec.Result {
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
	if bad := panels.DecodeArgs(call, &a); bad != nil {
		return "", nil, bad
	}
	if real, err := p.files.RealPath(a.FilePath); err == nil && call.From.Caller != toolspec.CallerPerson &&
		p.HasDraft(real) {
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
	bad = panels.DecodeArgs(call, &a)
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
		fmt.Fprintf(&b, "%s, cursor at line %d", tab.DisplayPath, max(tab.Line, 1))
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
