// Package files provides the tools that read, write, edit, list, find and search files, and undo changes to them. It
// also provides the tools that built-in panels use to change files, and the reads behind the window's own file pages.
//
// Package safefs resolves and opens paths, package history changes files and undoes changes, and package trash stores
// removed files. Package policy decides about permissions. This package itself refuses places that no tool may touch.
package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/trash"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Group is the group of all tools of this package.
const Group = "files"

// Panels undoes calls of panel tools.
type Panels interface {
	// PanelUndos returns one call, or the calls of a turn, or if both are "" the conversation's last call that is not
	// undone. The oldest comes first. A non-empty owner restricts the result to that owner's calls.
	PanelUndos(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error)
	UndoCall(ctx context.Context, u wire.PanelUndo) toolspec.Result
}

// Config configures Tools.
type Config struct {
	toolkit.Paths
	// ForbiddenPaths returns the absolute paths that the person's rules deny to a tool. Walks skip them.
	ForbiddenPaths func(ctx context.Context, tool string) ([]string, error)
	Blobs          history.Blobs
	Changes        history.ChangeLog
	// Watcher may be nil.
	Watcher history.Watcher
	// Panels may be nil. Then no panel call can be undone.
	Panels Panels
	// Trash is the folder of the trash, or "" for no trash.
	Trash string
	// MaxRead returns how many bytes one call of read_file may return. Nil means 1 MiB.
	MaxRead func() int
	// Known is the file that keeps which files programs have read after Close, or "" for none.
	Known string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Tools provides the tools for files. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	// panelTools are not in the catalog.
	panelTools toolkit.List[tool]
	cfg        Config
	fs         *safefs.FS
	history    *history.History
	trash      *trash.Bin
	// resolved contains the real paths of a call's first description. run refuses the call if they changed since.
	resolved toolkit.CallMemory[[]string]
	paths    pathList
}

// New returns the tools for files.
func New(cfg Config) *Tools {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.MaxRead == nil {
		cfg.MaxRead = func() int { return 1 << 20 }
	}
	fs := safefs.New(safefs.Config{Paths: cfg.Paths, ForbiddenPaths: cfg.ForbiddenPaths})
	return &Tools{
		cfg: cfg, fs: fs, trash: trash.New(cfg.Trash, cfg.Now),
		history: history.New(history.Config{
			FS: fs, Blobs: cfg.Blobs, ChangeLog: cfg.Changes, Watcher: cfg.Watcher,
			Now: cfg.Now, Known: cfg.Known,
		}),
		List: toolkit.List[tool]{
			readFile(), writeFile(), editFile(), listDirectory(), fileInfo(), findFiles(), searchFiles(), undo(),
		},
		panelTools: toolkit.List[tool]{panelSave(), panelFolder(), panelMove(), panelTrash(), panelRestore()},
	}
}

func (t *Tools) find(name string) (tool, bool) {
	if x, ok := t.Find(name); ok {
		return x, true
	}
	return t.panelTools.Find(name)
}

// ForgetConversation forgets which files a conversation has read.
func (t *Tools) ForgetConversation(id string) { t.history.ForgetConversation(id) }

// Close saves which files programs have read, and closes the handle of the workspace folder.
func (t *Tools) Close() error { return errors.Join(t.history.Close(), t.fs.Close()) }

// Sweep removes the temporary files that a killed process left beside each of files, which are absolute paths. Call it
// before any tool runs.
func Sweep(files []string) error { return history.Sweep(files) }

type tool struct {
	def      toolspec.Definition
	paths    func(t *Tools, call toolspec.Call) ([]pathUse, error)
	describe func(t *Tools, call toolspec.Call, at []safefs.Target) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call, at []safefs.Target) (toolspec.Result, error)
}

func (t tool) Definition() toolspec.Definition { return t.def }

type pathUse struct {
	path    string
	use     toolspec.Use
	resolve resolver
}

type resolver func(*safefs.FS, string) (safefs.Target, error)

func follow(path string, use toolspec.Use) []pathUse {
	return []pathUse{{path, use, (*safefs.FS).Locate}}
}

func entry(path string, use toolspec.Use) []pathUse {
	return []pathUse{{path, use, (*safefs.FS).LocateEntry}}
}

func readsFrom(path string) []pathUse {
	if path == "" {
		path = "."
	}
	return follow(path, toolspec.UseRead)
}

type handler[P any] struct {
	paths    func(t *Tools, call toolspec.Call, p P) ([]pathUse, error)
	describe func(t *Tools, p P, at []safefs.Target) toolspec.Description
	run      func(ctx context.Context, t *Tools, r request[P]) (toolspec.Result, error)
}

// request is one execution. at contains the targets of the call's paths, in their order.
type request[P any] struct {
	call toolspec.Call
	p    P
	at   []safefs.Target
}

func build[P any](def toolspec.Definition, h handler[P]) tool {
	decode := func(call toolspec.Call) (p P, err error) {
		if failed := toolkit.Decode(call.Args, &p); failed != nil {
			return p, toolkit.ErrorOf(failed)
		}
		return p, nil
	}
	return tool{
		def: def,
		paths: func(t *Tools, call toolspec.Call) ([]pathUse, error) {
			p, err := decode(call)
			if err != nil {
				return nil, err
			}
			return h.paths(t, call, p)
		},
		describe: func(t *Tools, call toolspec.Call, at []safefs.Target) toolspec.Description {
			p, err := decode(call)
			if err != nil {
				return toolspec.Description{}
			}
			return h.describe(t, p, at)
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call, at []safefs.Target) (toolspec.Result, error) {
			p, err := decode(call)
			if err != nil {
				return toolspec.Result{}, err
			}
			return h.run(ctx, t, request[P]{call, p, at})
		},
	}
}

func define(name, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	return toolkit.Define(name, Group, doc, parameters, hints, examples...)
}

func (t *Tools) resolve(x tool, call toolspec.Call) ([]pathUse, []safefs.Target, error) {
	paths, err := x.paths(t, call)
	if err != nil {
		return nil, nil, err
	}
	at := make([]safefs.Target, len(paths))
	for i, p := range paths {
		if at[i], err = p.resolve(t.fs, p.path); err != nil {
			return nil, nil, err
		}
	}
	return paths, at, nil
}

// Refuse returns a failed Result if resolving the paths of call gives a security error, which the person cannot allow.
// Otherwise it returns nil.
func (t *Tools) Refuse(call toolspec.Call) *toolspec.Result {
	x, ok := t.find(call.Tool)
	if !ok {
		return nil
	}
	_, _, err := t.resolve(x, call)
	if IsSecurityError(err) {
		var refused *toolkit.CallError
		errors.As(err, &refused)
		r := refused.Result()
		return &r
	}
	return nil
}

// Describe returns the effect of call and the files that it uses. Execute refuses a call whose paths lead elsewhere
// than in its first description.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	paths, at, err := t.resolve(x, call)
	if err != nil {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	d := x.describe(t, call, at)
	var reals []string
	for i, a := range at {
		use := toolspec.FileUse{Path: a.Real, Use: paths[i].use, Sensitive: a.Place.Description}
		if !slices.Contains(d.Files, use) {
			d.Files = append(d.Files, use)
		}
		reals = append(reals, a.Real)
	}
	d.Target = strings.Join(slices.Compact(slices.Clone(reals)), ", ")
	if call.Tool == UndoTool {
		t.describePanelUndo(&d, call)
	}
	if call.ID != "" {
		t.resolved.Add(call.ID, reals) // the policy judges the first description
	}
	return d
}

// Execute runs one call with validated arguments. The error is an unexpected failure or that of ctx; other failures are
// in the Result.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	x, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Result{}, fmt.Errorf("files: no tool %q", call.Tool)
	}
	_, at, err := t.resolve(x, call)
	var r toolspec.Result
	if err == nil {
		r, err = t.run(ctx, x, call, at)
	}
	var failed *toolkit.CallError
	if errors.As(err, &failed) {
		r, err = failed.Result(), nil
	}
	// A failure can quote the file too.
	for _, a := range at {
		if source := t.cfg.Source(a.Real); source != "" && !slices.Contains(r.Sources, source) {
			r.Sources = append(r.Sources, source)
		}
	}
	return r, err
}

func (t *Tools) run(
	ctx context.Context, x tool, call toolspec.Call, at []safefs.Target,
) (toolspec.Result, error) {
	judged, known := t.resolved.Get(call.ID)
	same := func(real string, a safefs.Target) bool { return real == a.Real }
	if known && !slices.EqualFunc(judged, at, same) {
		return toolspec.Result{}, safefs.RedirectError(call.Tool)
	}
	return x.run(ctx, t, call, at)
}

func shownNames(at []safefs.Target) string {
	if len(at) == 1 {
		return excerpt.TruncateBytes(at[0].DisplayPath, 80)
	}
	return english.Plural(len(at), "file", "")
}

func shownFolder(a safefs.Target) string {
	if a.DisplayPath == "." {
		return "the workspace"
	}
	return excerpt.TruncateBytes(a.DisplayPath, 80)
}

func inParentheses(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}

func (t *Tools) walk(ctx context.Context, tool string) safefs.Walk {
	return safefs.Walk{FS: t.fs, Ctx: ctx, Tool: tool, Depth: safefs.MaxDepth}
}

func (t *Tools) notAFolder(a safefs.Target, err error) error {
	if info, statErr := t.fs.Lstat(a); statErr == nil && !info.IsDir() {
		return toolkit.UserError(a.DisplayPath+" is not a folder",
			"Call read_file or file_info with it, or list its folder.")
	}
	return err
}

// IsSecurityError reports whether err wraps a *toolkit.CallError of type toolspec.SecurityError.
func IsSecurityError(err error) bool {
	var e *toolkit.CallError
	return errors.As(err, &e) && e.Type == toolspec.SecurityError
}

// IsCallError reports whether err wraps a *toolkit.CallError.
func IsCallError(err error) bool {
	var e *toolkit.CallError
	return errors.As(err, &e)
}
