// Package baseline holds the tools that are always there, whatever panel is open: opening
// and closing panels, the activity bar, the state of the workspace, notes for developers
// and notes for the assistant's own prompt. (Environment tools, which act on a surface,
// have a room of their own.)
//
// Each tool is one file with its parameters and one .md file that the model reads. Names
// of open tools come from the navigation map. The Workspace beside them is what those
// tools change: it is kept in the settings, and every change is published as an event
// before anybody is told that it was made.
package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"sextant/backend/tools/room"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// Settings keeps values by key. Setting's ok is false when there is none.
type Settings interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// Journal records events.
type Journal interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Config is what the tools stand on.
type Config struct {
	Nav *navigation.Map
	// Panels are all known panels; nil means those of the map.
	Panels   func() []event.Panel
	Journal  Journal
	Settings Settings
	// NotesDir is where developer notes go, made when the first is written.
	NotesDir string
	// Operable counts what the assistant may use on the page of a panel that a window shows, false for a page
	// that cannot be looked at; nil looks at none.
	Operable func(ctx context.Context, panel string) (n int, ok bool)
	Log      *slog.Logger
}

// Tools are the baseline tools. Safe for concurrent use.
type Tools struct {
	*Workspace
	notesDir string
	fixed    []tool
}

// tool is one tool: its definition, what it does, and how it is told before it runs.
type tool struct {
	def      toolspec.Definition
	run      func(t *Tools, ctx context.Context, args json.RawMessage) (toolspec.Result, error)
	describe func(args json.RawMessage) toolspec.Description
}

// New makes the tools and reads the kept state. What cannot be read starts as on the
// first day, and the log says so.
func New(cfg Config) *Tools {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Panels == nil {
		ids := cfg.Nav.Panels
		cfg.Panels = func() []event.Panel {
			panels := make([]event.Panel, len(ids))
			for i, id := range ids {
				panels[i] = event.Panel{ID: id, Title: spoken(id), Usable: true, Builtin: true, Order: i}
			}
			return panels
		}
	}
	t := &Tools{Workspace: newWorkspace(cfg), notesDir: cfg.NotesDir}
	t.fixed = []tool{
		closePanel(cfg.Nav), expandActivityBar(), collapseActivityBar(), setActivityBarDevices(),
		getWorkspaceState(), getActivePanel(), focusSurface(), developerNote(), enhanceBaselinePrompt(),
	}
	return t
}

// Definitions lists the tools; they are the same whatever panel is active.
func (t *Tools) Definitions(_ string) []toolspec.Definition {
	var defs []toolspec.Definition
	for _, p := range t.usable() {
		defs = append(defs, t.openPanel(p).def)
	}
	for _, f := range t.fixed {
		defs = append(defs, f.def)
	}
	return defs
}

// find is the tool of that name.
func (t *Tools) find(name string) (tool, bool) {
	for _, f := range t.fixed {
		if f.def.Name == name {
			return f, true
		}
	}
	for _, p := range t.usable() {
		if t.nav().OpenTool(p.ID) == name {
			return t.openPanel(p), true
		}
	}
	return tool{}, false
}

// Execute runs one call. The error is our own fault (state that could not be kept); what
// the caller can mend is in the Result.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string)) (toolspec.Result, error) {
	f, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.UserError, call.Tool+" is gone: its panel was removed or has a problem", "Look at the list of tools again."), nil
	}
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return f.run(t, ctx, args)
}

// Describe says what call would do, from its arguments alone.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	f, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	return f.describe(call.Args)
}

// define makes the definition of a tool of this room; doc is the text of its .md file.
func define(name, group, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	d := room.Define(name, group, doc, parameters, hints, examples...)
	d.TimeoutMS = 10_000
	return d
}

// noParams is the schema of tools without arguments.
const noParams = `{"type":"object","properties":{},"additionalProperties":false}`

// decode reads args into params; a nil Result means that it worked.
func decode(name string, args json.RawMessage, params any) *toolspec.Result {
	if err := json.Unmarshal(args, params); err != nil {
		r := toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("%s: the arguments are not as defined: %v", name, err), "Send a JSON object as the tool's definition says.")
		return &r
	}
	return nil
}

// done is a success with its sentence.
func done(value any, text, sentence string) toolspec.Result {
	r := toolspec.OK(value)
	r.Text, r.Sentence = text, sentence
	return r
}

// present is a describe that does not depend on the arguments.
func present(sentence string) func(json.RawMessage) toolspec.Description {
	return func(json.RawMessage) toolspec.Description { return toolspec.Description{Present: sentence} }
}

// spoken is a panel id as a title: "code-editor" → "Code editor".
func spoken(id string) string {
	s := strings.ReplaceAll(id, "-", " ")
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
