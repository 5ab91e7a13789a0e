// Package workspace manages the workspace of the window (panels, activity bar, prompt notes) and provides the tools
// that change it. They are available whatever panel is open.
//
// The names of the tools that open panels come from the navigation map. The settings store the workspace. A change of
// the panels, the focus or the activity bar is published as an event.
package workspace

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"sextant/backend/toolkit"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// Settings stores values by key. Setting returns false for ok if there is no value.
type Settings interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// Journal records events.
type Journal interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Config configures Tools.
type Config struct {
	Nav *navigation.Map
	// Panels returns all known panels. If it is nil, the panels of the map are used.
	Panels   func() []event.Panel
	Journal  Journal
	Settings Settings
	// NotesDir is the folder of developer notes. The first note creates it.
	NotesDir string
	// CountOperable returns the number of operable elements on the page of a panel. ok is false if the page cannot be
	// observed. It may be nil.
	CountOperable func(ctx context.Context, panel string) (n int, ok bool)
	Log           *slog.Logger
}

// Tools provides the workspace tools. It is safe for concurrent use.
type Tools struct {
	*Workspace
	notesDir string
	tools    []tool
}

type tool struct {
	def      toolspec.Definition
	run      func(t *Tools, ctx context.Context, args json.RawMessage) (toolspec.Result, error)
	describe func(args json.RawMessage) toolspec.Description
}

// New returns the tools and restores the stored state. It logs a stored state that cannot be read and starts with the
// initial state instead.
func New(cfg Config) *Tools {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Panels == nil {
		ids := cfg.Nav.Panels
		cfg.Panels = func() []event.Panel {
			panels := make([]event.Panel, len(ids))
			for i, id := range ids {
				panels[i] = event.Panel{ID: id, Title: titleOf(id), Usable: true, Builtin: true, Order: i}
			}
			return panels
		}
	}
	t := &Tools{Workspace: newWorkspace(cfg), notesDir: cfg.NotesDir}
	t.tools = []tool{
		closePanel(cfg.Nav), expandActivityBar(), collapseActivityBar(), setActivityBarDevices(),
		getWorkspaceState(), getActivePanel(), focusSurface(), developerNote(), enhanceBaselinePrompt(),
	}
	return t
}

// Definitions returns the definitions, with a tool for each panel that can be opened. They do not depend on the active
// panel.
func (t *Tools) Definitions(_ string) []toolspec.Definition {
	var defs []toolspec.Definition
	for _, p := range t.usable() {
		defs = append(defs, t.openPanel(p).def)
	}
	for _, f := range t.tools {
		defs = append(defs, f.def)
	}
	return defs
}

func (t *Tools) find(name string) (tool, bool) {
	for _, f := range t.tools {
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

// Execute runs one call. Failures that the caller can correct are in the Result. The error is an unexpected failure,
// such as state that cannot be stored.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	f, found := t.find(call.Tool)
	if !found {
		return toolspec.Fail(toolspec.UserError,
			call.Tool+" does not exist any more: its panel was removed or has a problem",
			"Read the list of tools again."), nil
	}
	args := call.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var object map[string]json.RawMessage
	if failed := toolkit.Decode(args, &object); failed != nil {
		return toolspec.Fail(failed.ErrorType, call.Tool+": "+failed.Error, failed.Suggestion), nil
	}
	return f.run(t, ctx, args)
}

// Describe returns the effect of call.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	f, found := t.find(call.Tool)
	if !found {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	return f.describe(call.Args)
}

func define(name, group, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	d := toolkit.Define(name, group, doc, parameters, hints, examples...)
	d.TimeoutMS = 10_000
	return d
}

const noParams = `{"type":"object","properties":{},"additionalProperties":false}`

func ok(value any, text, sentence string) toolspec.Result {
	r := toolspec.OK(value)
	r.Text, r.Sentence = text, sentence
	return r
}

func present(sentence string) func(json.RawMessage) toolspec.Description {
	return func(json.RawMessage) toolspec.Description { return toolspec.Description{Sentence: sentence} }
}

func titleOf(id string) string {
	s := strings.ReplaceAll(id, "-", " ")
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
