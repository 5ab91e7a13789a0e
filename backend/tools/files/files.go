// Package files holds the tools for files: reading, writing, editing, listing, finding,
// searching, and undoing what they changed.
//
// Each tool is one file with its parameters and one .md file that the model reads. A path is
// followed to the real place it leads to, that place is judged (guard/places) and told to the
// policy, and the file is opened through a handle of its folder that is checked to be that
// place, so that a link swapped in between is refused and not followed. Only regular files are
// opened; nothing waits on a pipe or a device. What is written replaces the file in one step,
// a file is not replaced unless the conversation knows its present content, and the content
// before is kept, so that every change can be undone.
//
// The package decides nothing about leave: what asks is the policy's matter. Only what no tool
// may touch at all is refused here, before anybody is asked.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/record/blobs"
	"sextant/backend/tools/files/trash"
	"sextant/backend/tools/room"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Group is the group all tools of this room are in.
const Group = "files"

// Blobs keeps contents; *blobs.Store is one.
type Blobs interface {
	Put(r io.Reader) (id string, err error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

// Log keeps what was changed; *store.Store is one.
type Log interface {
	AddFileChange(ctx context.Context, c wire.FileChange) error
	// FileChanges are those of a turn or of a call, whichever is not "", the oldest first; of
	// neither they are those of the conversation's last call that changed files. An owner that
	// is not "" leaves only theirs.
	FileChanges(ctx context.Context, conversation, owner, turn, call string) ([]wire.FileChange, error)
}

// Watched is told of every change of a file; *snapshot.Keeper is one. Nothing else looks at the
// file between Hold and done, which says what it held before and holds now, as wire.FileChange
// has it.
// Settled waits until the rows of what was stopped shortly before are there.
type Watched interface {
	Hold(file string) (done func(before, after string))
	Settled(ctx context.Context)
}

// Panels take calls of their tools back; *panels.Registry is one.
type Panels interface {
	// Undoable are the calls of a turn or the one call, whichever is not "", or of neither the
	// conversation's last one. An owner that is not "" leaves only theirs.
	Undoable(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error)
	TakeBack(ctx context.Context, u wire.PanelUndo) toolspec.Result
}

// unwatched watches nothing.
type unwatched struct{}

// Hold implements Watched.
func (unwatched) Hold(string) func(before, after string) { return func(string, string) {} }

// Settled implements Watched.
func (unwatched) Settled(context.Context) {}

// Config is what the tools stand on.
type Config struct {
	room.Paths
	// Forbidden are the absolute paths that rules of the person keep from a tool; a walk passes
	// them by. nil knows none.
	Forbidden func(ctx context.Context, tool string) ([]string, error)
	Blobs     Blobs
	Changes   Log
	// Watched tells who changes what from commands that run at the same time; nil watches nothing.
	Watched Watched
	// Panels take back what their tools did; nil takes nothing back.
	Panels Panels
	// Trash is where what hand_trash takes away is kept, "" for nowhere.
	Trash string
	Log   *slog.Logger
	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

// Tools are the tools for files. Safe for concurrent use.
type Tools struct {
	room.List[tool]
	// hands are tools that nobody is offered by themselves: the tools of built-in panels are
	// done by them.
	hands  room.List[tool]
	cfg    Config
	bin    *trash.Can
	folder workspace
	seen   memory
	writes locks

	mu     sync.Mutex
	judged map[string][]string
	order  []string
}

// New makes the tools.
func New(cfg Config) *Tools {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Watched == nil {
		cfg.Watched = unwatched{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	t := &Tools{cfg: cfg, judged: map[string][]string{}, seen: memory{}}
	t.List = room.List[tool]{
		readFile(), writeFile(), editFile(), listDirectory(), fileInfo(), findFiles(), searchFiles(), undo(),
	}
	t.bin = trash.New(cfg.Trash, cfg.Now)
	t.hands = room.List[tool]{handSave(), handFolder(), handMove(), handTrash(), handRestore()}
	return t
}

// find is the tool of that name, offered or not.
func (t *Tools) find(name string) (tool, bool) {
	if x, ok := t.Find(name); ok {
		return x, true
	}
	return t.hands.Find(name)
}

// Close lets go of the workspace folder.
func (t *Tools) Close() error { return t.folder.close() }

// tool is one tool: its definition and its parts that know its parameters.
type tool struct {
	def toolspec.Definition
	// uses are the paths a call names and what it does to them.
	uses func(t *Tools, call toolspec.Call) ([]use, error)
	say  func(t *Tools, call toolspec.Call, at []target) toolspec.Description
	run  func(ctx context.Context, t *Tools, call toolspec.Call, at []target) (toolspec.Result, error)
}

// Definition implements room.Tool.
func (x tool) Definition() toolspec.Definition { return x.def }

// use is one path of a call.
type use struct {
	path string
	use  toolspec.Use
	// self says that what lies at the path itself is meant, and not where it leads as a link; the
	// path was real before. entry says the same of any path, whose folder's links are followed.
	self, entry bool
}

// parts are a tool over its parameters P.
type parts[P any] struct {
	uses func(t *Tools, call toolspec.Call, p P) ([]use, error)
	say  func(t *Tools, p P, at []target) toolspec.Description
	run  func(ctx context.Context, t *Tools, j job[P]) (toolspec.Result, error)
}

// job is one execution: the parameters, and where their paths lead, in the order of uses.
type job[P any] struct {
	call toolspec.Call
	p    P
	at   []target
}

// build makes a tool of its parts.
func build[P any](def toolspec.Definition, x parts[P]) tool {
	read := func(call toolspec.Call) (p P, err error) {
		if bad := room.Decode(call.Args, &p); bad != nil {
			return p, faultOf(bad)
		}
		return p, nil
	}
	return tool{
		def: def,
		uses: func(t *Tools, call toolspec.Call) ([]use, error) {
			p, err := read(call)
			if err != nil {
				return nil, err
			}
			return x.uses(t, call, p)
		},
		say: func(t *Tools, call toolspec.Call, at []target) toolspec.Description {
			p, err := read(call)
			if err != nil {
				return toolspec.Description{}
			}
			return x.say(t, p, at)
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call, at []target) (toolspec.Result, error) {
			p, err := read(call)
			if err != nil {
				return toolspec.Result{}, err
			}
			return x.run(ctx, t, job[P]{call, p, at})
		},
	}
}

// define makes the definition of a tool; doc is the text of its .md file.
func define(name, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	return room.Define(name, Group, doc, parameters, hints, examples...)
}

// fault is what the caller can mend.
type fault struct {
	kind                toolspec.ErrorType
	message, suggestion string
}

// Error implements error.
func (f *fault) Error() string { return f.message }

// faultOf is a failed Result as a fault.
func faultOf(bad *toolspec.Result) error { return &fault{bad.ErrorType, bad.Error, bad.Suggestion} }

func (f *fault) result() toolspec.Result { return toolspec.Fail(f.kind, f.message, f.suggestion) }

// places follows and judges the paths of a call.
func (t *Tools) places(x tool, call toolspec.Call) ([]use, []target, error) {
	uses, err := x.uses(t, call)
	if err != nil {
		return nil, nil, err
	}
	at := make([]target, len(uses))
	for i, u := range uses {
		locate := t.locate
		switch {
		case u.self:
			locate = t.locateSelf
		case u.entry:
			locate = t.locateEntry
		}
		if at[i], err = locate(u.path); err != nil {
			return nil, nil, err
		}
	}
	return uses, at, nil
}

// Refuse is a refusal of a call that no answer of a person can change, nil for none: it names
// a place that no tool may touch.
func (t *Tools) Refuse(call toolspec.Call) *toolspec.Result {
	x, ok := t.find(call.Tool)
	if !ok {
		return nil
	}
	_, _, err := t.places(x, call)
	var f *fault
	if errors.As(err, &f) && f.kind == toolspec.SecurityError {
		r := f.result()
		return &r
	}
	return nil
}

// Describe says what call would do and to which files, where their links lead by now.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	uses, at, err := t.places(x, call)
	if err != nil {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	d := x.say(t, call, at)
	var reals []string
	for i, a := range at {
		d.Files = addUse(d.Files, toolspec.FileUse{Path: a.real, Use: uses[i].use, Sensitive: a.place.What})
		reals = append(reals, a.real)
	}
	d.Target = strings.Join(slices.Compact(slices.Clone(reals)), ", ")
	if call.Tool == Undo {
		t.sayPanels(&d, call)
	}
	t.judge(call.ID, reals)
	return d
}

func addUse(all []toolspec.FileUse, u toolspec.FileUse) []toolspec.FileUse {
	if slices.Contains(all, u) {
		return all
	}
	return append(all, u)
}

// maxJudged bounds how many calls are remembered between being described and being run.
const maxJudged = 1024

// judge remembers which places the policy is asked about for a call.
func (t *Tools) judge(id string, reals []string) {
	if id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, again := t.judged[id]; again {
		return // the first one is what was asked about
	}
	if t.order = append(t.order, id); len(t.order) > maxJudged {
		delete(t.judged, t.order[0])
		t.order = t.order[1:]
	}
	t.judged[id] = reals
}

// Execute runs one call whose arguments were validated. The error is our own fault or the end
// of ctx; what the caller can mend is in the Result.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string)) (toolspec.Result, error) {
	x, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Result{}, fmt.Errorf("files: no tool %q", call.Tool)
	}
	_, at, err := t.places(x, call)
	var r toolspec.Result
	if err == nil {
		r, err = t.execute(ctx, x, call, at)
	}
	var f *fault
	if errors.As(err, &f) {
		r, err = f.result(), nil
	}
	// A refusal tells lines and names of the file, too.
	for _, from := range t.sources(at) {
		if !slices.Contains(r.Sources, from) {
			r.Sources = append(r.Sources, from)
		}
	}
	return r, err
}

// sources name what of a call's files came from outside.
func (t *Tools) sources(at []target) []string {
	var all []string
	for _, a := range at {
		if from := t.cfg.From(a.real); from != "" {
			all = append(all, from)
		}
	}
	return all
}

func (t *Tools) execute(ctx context.Context, x tool, call toolspec.Call, at []target) (toolspec.Result, error) {
	t.mu.Lock()
	judged, known := t.judged[call.ID]
	t.mu.Unlock()
	if known && !slices.EqualFunc(judged, at, func(real string, a target) bool { return real == a.real }) {
		return toolspec.Result{}, swapped(call.Tool)
	}
	return x.run(ctx, t, call, at)
}
