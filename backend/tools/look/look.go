// Package look holds tools that only look: git_read at a repository's history and changes,
// sql_query into a SQLite file, system_info at this machine.
//
// The contract: nothing of them changes a file or starts what somebody else wrote. A
// repository's own configuration can name programs (hooks, filters, differs, pagers); git is
// run so that none of them starts. A database is opened for reading, and an authorizer lets
// nothing but reading pass. Command lines are shown without what looks like a secret. Where a
// path leads is judged by guard/places; what no tool may touch is refused here, whether the rest
// is asked about is the policy's matter.
package look

import (
	"context"
	"strings"
	"unicode/utf8"

	"sextant/backend/guard/confine"
	"sextant/backend/guard/places"
	"sextant/backend/tools/room"
	"sextant/shared/toolspec"
)

// Config is what the tools stand on.
type Config struct {
	room.Paths
	// Forbidden are the absolute paths that rules of the person keep from a tool. nil knows none.
	Forbidden func(ctx context.Context, tool string) ([]string, error)
	// Confine is where git runs, without network and with nothing to write; nil, or one that has no
	// sandbox here, runs it without.
	Confine *confine.Confine
	// Proc is where the system tells of itself, "/proc" when empty.
	Proc string
}

// Tools are the tools that look. Safe for concurrent use.
type Tools struct {
	room.List[tool]
	cfg Config
}

// tool is one tool: its definition, the paths a call reads, how it is told, and what it does.
type tool struct {
	def      toolspec.Definition
	paths    func(t *Tools, call toolspec.Call) ([]toolspec.FileUse, *toolspec.Result)
	describe func(t *Tools, call toolspec.Call) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call) toolspec.Result
}

// New makes the tools. It starts nothing.
func New(cfg Config) *Tools {
	if cfg.Proc == "" {
		cfg.Proc = "/proc"
	}
	return &Tools{cfg: cfg, List: room.List[tool]{gitRead(), sqlQuery(), systemInfo()}}
}

// Definition implements room.Tool.
func (x tool) Definition() toolspec.Definition { return x.def }

// Refuse says of a call that it never runs, because what it would read is closed to every tool;
// nil when it may.
func (t *Tools) Refuse(call toolspec.Call) *toolspec.Result {
	x, ok := t.Find(call.Tool)
	if !ok {
		return nil
	}
	_, bad := x.paths(t, call)
	if bad != nil && bad.ErrorType == toolspec.SecurityError {
		return bad
	}
	return nil
}

// Describe says what call would do, from its arguments and where its paths lead.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	d := x.describe(t, call)
	read, _ := x.paths(t, call)
	d.Files = append(d.Files, read...)
	if len(read) > 0 && d.Target == "" {
		d.Target = read[0].Path
	}
	return d
}

// Execute runs one call; what went wrong stands in the Result.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string)) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.ValidationError, "there is no tool "+call.Tool+" that looks", "Look at the list of tools again."), nil
	}
	return x.run(ctx, t, call), nil
}

// define makes a definition; doc is the text of the tool's .md file.
func define(name, group, doc, parameters string, examples ...string) toolspec.Definition {
	return room.Define(name, group, doc, parameters, toolspec.Hints{ReadOnly: true}, examples...)
}

// locate is the reading of the place that a call's path leads to; "" is the workspace folder.
func (t *Tools) locate(path string) (toolspec.FileUse, *toolspec.Result) {
	if path == "" {
		path = "."
	}
	at, bad, err := t.cfg.Locate(path)
	if err != nil {
		bad = room.Fail(toolspec.SystemError, err.Error(), "Send an absolute path.")
	}
	if bad != nil {
		return toolspec.FileUse{}, bad
	}
	return toolspec.FileUse{Path: at.Real, Use: toolspec.UseRead, Sensitive: at.Place.What}, nil
}

// reads is the reading of an absolute path whose links were followed; what no tool may touch is
// refused.
func (t *Tools) reads(real string) (toolspec.FileUse, *toolspec.Result) {
	place := t.cfg.Places.Judge(real)
	if place.Kind == places.Secret {
		return toolspec.FileUse{}, room.Secret(real, place)
	}
	return toolspec.FileUse{Path: real, Use: toolspec.UseRead, Sensitive: place.What}, nil
}

// sources says where what was read at path came from, nil for the person's own.
func (t *Tools) sources(path string) []string {
	if from := t.cfg.From(path); from != "" {
		return []string{from}
	}
	return nil
}

// maxText is how many characters of a result a model reads.
const maxText = 2 << 20

// shown is text for a model: without what a terminal would obey, at most maxText characters.
func shown(text string, more bool, next string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if n := utf8.RuneCountInString(text); n > maxText {
		text, more = string([]rune(text)[:maxText]), true
	}
	if more {
		text = strings.TrimRight(text, "\n") + "\n[Cut: there is more. " + next + "]\n"
	}
	return text
}
