// Package files holds the tools for files: reading, writing, editing, listing, finding, searching,
// and undoing what they changed. It also holds the tools that carry out what built-in panels do with
// files, and the reads behind the window's own file pages.
//
// Each tool is one file with its parameters and one .md file that the model reads. Package safefs
// resolves and opens paths, package history changes files and undoes changes, package trash keeps
// what a person removed.
//
// The package decides nothing about permissions; that is the policy's matter. Only places that no
// tool may touch are refused here, before anybody is asked.
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

// Panels undo calls of their tools; *registry.Registry implements it.
type Panels interface {
	// Undoable returns the calls of a turn or the one call, whichever is not ""; without either, the
	// conversation's last one. An owner that is not "" restricts them to its own.
	Undoable(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error)
	UndoCall(ctx context.Context, u wire.PanelUndo) toolspec.Result
}

// Config is what the tools need.
type Config struct {
	toolkit.Paths
	// Forbidden returns the absolute paths that the person's rules keep from a tool; walks skip them.
	Forbidden func(ctx context.Context, tool string) ([]string, error)
	Blobs     history.Blobs
	Changes   history.Log
	// Watcher is notified of files that tools change while commands run; it may be nil.
	Watcher history.Watcher
	// Panels undo calls of their tools; nil undoes none.
	Panels Panels
	// Trash is the folder of the trash, "" for none.
	Trash string
	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

// Tools are the tools for files. Safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	// panelTools are not offered to anybody; built-in panels are carried out by them.
	panelTools toolkit.List[tool]
	cfg        Config
	fs         *safefs.FS
	history    *history.History
	trash      *trash.Bin
	// resolved are the real paths that the policy was asked about, by call.
	resolved toolkit.CallMemory[[]string]
}

// New makes the tools.
func New(cfg Config) *Tools {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	fs := safefs.New(safefs.Config{Paths: cfg.Paths, Forbidden: cfg.Forbidden})
	return &Tools{
		cfg: cfg, fs: fs, trash: trash.New(cfg.Trash, cfg.Now),
		history: history.New(history.Config{
			FS: fs, Blobs: cfg.Blobs, Log: cfg.Changes, Watcher: cfg.Watcher,
			Now: cfg.Now,
		}),
		List: toolkit.List[tool]{
			readFile(), writeFile(), editFile(), listDirectory(), fileInfo(), findFiles(), searchFiles(), undo(),
		},
		panelTools: toolkit.List[tool]{panelSave(), panelFolder(), panelMove(), panelTrash(), panelRestore()},
	}
}

// find returns the tool of that name, offered or not.
func (t *Tools) find(name string) (tool, bool) {
	if x, ok := t.Find(name); ok {
		return x, true
	}
	return t.panelTools.Find(name)
}

// Close closes the handle of the workspace folder.
func (t *Tools) Close() error { return t.fs.Close() }

// Sweep removes the temporary files that a killed process left beside each of files, absolute paths.
// Call it before any tool runs.
func Sweep(files []string) error { return history.Sweep(files) }

// tool is one tool: its definition and the functions that know its parameters.
type tool struct {
	def toolspec.Definition
	// paths are the paths a call names and what it does to them.
	paths    func(t *Tools, call toolspec.Call) ([]pathUse, error)
	describe func(t *Tools, call toolspec.Call, at []safefs.Target) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call, at []safefs.Target) (toolspec.Result, error)
}

// Definition implements toolkit.Tool.
func (t tool) Definition() toolspec.Definition { return t.def }

// pathUse is one path of a call.
type pathUse struct {
	path string
	use  toolspec.Use
	// resolve follows the path.
	resolve resolver
}

// resolver is a way to follow a path, a method of safefs.FS.
type resolver func(*safefs.FS, string) (safefs.Target, error)

func follow(path string, use toolspec.Use) []pathUse {
	return []pathUse{{path, use, (*safefs.FS).Locate}}
}

func entry(path string, use toolspec.Use) []pathUse {
	return []pathUse{{path, use, (*safefs.FS).LocateEntry}}
}

// readsFrom is the path of a tool that reads one place, by default the workspace folder.
func readsFrom(path string) []pathUse {
	if path == "" {
		path = "."
	}
	return follow(path, toolspec.UseRead)
}

// handler are the functions of a tool over its parameters P.
type handler[P any] struct {
	paths    func(t *Tools, call toolspec.Call, p P) ([]pathUse, error)
	describe func(t *Tools, p P, at []safefs.Target) toolspec.Description
	run      func(ctx context.Context, t *Tools, r request[P]) (toolspec.Result, error)
}

// request is one execution: the parameters, and where their paths lead, in the order of paths.
type request[P any] struct {
	call toolspec.Call
	p    P
	at   []safefs.Target
}

// build makes a tool of its definition and its functions.
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

// define makes the definition of a tool; doc is the text of its .md file.
func define(name, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	return toolkit.Define(name, Group, doc, parameters, hints, examples...)
}

// resolve follows and classifies the paths of a call.
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

// Refuse returns the refusal of a call that names a place which no tool may touch, nil for any other
// call. No answer of a person can change it.
func (t *Tools) Refuse(call toolspec.Call) *toolspec.Result {
	x, ok := t.find(call.Tool)
	if !ok {
		return nil
	}
	_, _, err := t.resolve(x, call)
	if IsClosedPlace(err) {
		var refused *toolkit.CallError
		errors.As(err, &refused)
		r := refused.Result()
		return &r
	}
	return nil
}

// Describe says what call would do and to which files, with their links followed.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	paths, at, err := t.resolve(x, call)
	if err != nil {
		return toolspec.Description{Present: "Running " + call.Tool}
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
	if call.Tool == Undo {
		t.describePanelUndo(&d, call)
	}
	if call.ID != "" {
		t.resolved.Add(call.ID, reals) // the first description is the one the policy judges
	}
	return d
}

// Execute runs one call with validated arguments. What the caller can correct is in the
// Result; the error is a fault of the program or the end of ctx.
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
	// A failure quotes lines and names of the file, too.
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
		return toolspec.Result{}, safefs.Redirected(call.Tool)
	}
	return x.run(ctx, t, call, at)
}

// shownNames names targets within a sentence: the one, or how many.
func shownNames(at []safefs.Target) string {
	if len(at) == 1 {
		return excerpt.Bytes(at[0].Shown, 80)
	}
	return english.Plural(len(at), "file", "")
}

// shownFolder names a folder within a sentence.
func shownFolder(a safefs.Target) string {
	if a.Shown == "." {
		return "the workspace"
	}
	return excerpt.Bytes(a.Shown, 80)
}

// inParentheses is a note after a text, "" for no note.
func inParentheses(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}

// walk prepares a walk of a tool's request.
func (t *Tools) walk(ctx context.Context, tool string) safefs.Walk {
	return safefs.Walk{FS: t.fs, Ctx: ctx, Tool: tool, Depth: safefs.MaxDepth}
}

// notAFolder replaces the error of a walk that began at a file.
func (t *Tools) notAFolder(a safefs.Target, err error) error {
	if info, statErr := t.fs.Lstat(a); statErr == nil && !info.IsDir() {
		return toolkit.UserError(a.Shown+" is not a folder", "Call read_file or file_info with it, or list its folder.")
	}
	return err
}

// IsClosedPlace reports whether err says that a place is closed to every tool.
func IsClosedPlace(err error) bool {
	var e *toolkit.CallError
	return errors.As(err, &e) && e.Type == toolspec.SecurityError
}

// IsCallError reports whether err is about the request and not a fault of the program.
func IsCallError(err error) bool {
	var e *toolkit.CallError
	return errors.As(err, &e)
}
