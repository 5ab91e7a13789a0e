// Package inspect provides tools that only read: git_read reads a repository's history and changes, sql_query a SQLite
// file, and system_info this machine.
//
// The tools change no file and start no program that others supply. A repository's configuration can name programs
// (hooks, filters, diff drivers, pagers); git is run so that none of them starts. A database is opened read-only, and
// an authorizer allows only reading. Command lines are shown with likely secrets masked. This package refuses places
// that no tool may touch. Package policy decides about all others.
package inspect

import (
	"context"
	"strings"
	"unicode/utf8"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// Config configures Tools.
type Config struct {
	toolkit.Paths
	// ForbiddenPaths returns the absolute paths that the person's rules deny to a tool.
	ForbiddenPaths func(ctx context.Context, tool string) ([]string, error)
	// Sandbox is the sandbox for git, which runs without network and write access. If it is nil or there is no sandbox,
	// git runs without one.
	Sandbox *confine.Sandbox
	// Proc is the path of the proc file system; "" is "/proc".
	Proc string
}

// Tools provides the tools. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	cfg Config
}

// tool is a definition with the functions of the tool; paths returns the files that a call reads.
type tool struct {
	def      toolspec.Definition
	paths    func(t *Tools, call toolspec.Call) ([]toolspec.FileUse, *toolspec.Result)
	describe func(t *Tools, call toolspec.Call) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call) toolspec.Result
}

// New returns the tools.
func New(cfg Config) *Tools {
	if cfg.Proc == "" {
		cfg.Proc = "/proc"
	}
	return &Tools{cfg: cfg, List: toolkit.List[tool]{gitRead(), sqlQuery(), systemInfo()}}
}

// Definition implements toolkit.Tool.
func (t tool) Definition() toolspec.Definition { return t.def }

// Refuse returns a failed Result for a call that would read a place closed to every tool or outside the workspace by
// .., or whose places cannot be checked, and nil for every other call.
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

// Describe returns the effect of call, from its arguments and the places that its paths lead to.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	d := x.describe(t, call)
	read, _ := x.paths(t, call)
	d.Files = append(d.Files, read...)
	if len(read) > 0 && d.Target == "" {
		d.Target = read[0].Path
	}
	return d
}

// Execute runs one call. A failure is in the Result; the error is always nil.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		bad := toolspec.Fail(toolspec.ValidationError, "there is no tool "+call.Tool, "Read the list of tools again.")
		return bad, nil
	}
	return x.run(ctx, t, call), nil
}

// define returns the definition of a tool; doc is the text of its .md file.
func define(name, group, doc, parameters string, examples ...string) toolspec.Definition {
	return toolkit.Define(name, group, doc, parameters, toolspec.Hints{ReadOnly: true}, examples...)
}

// locate describes reading the place that a call's path leads to, or refuses it; "" is the workspace folder.
func (t *Tools) locate(path string) (toolspec.FileUse, *toolspec.Result) {
	if path == "" {
		path = "."
	}
	at, bad, err := t.cfg.Resolve(path)
	if err != nil {
		bad = toolkit.Fail(toolspec.SystemError, err.Error(), "Send an absolute path.")
	}
	if bad != nil {
		return toolspec.FileUse{}, bad
	}
	return toolspec.FileUse{Path: at.Real, Use: toolspec.UseRead, Sensitive: at.Place.Description}, nil
}

// use describes reading a path, which is absolute with links followed, or refuses it if it is secret.
func (t *Tools) use(real string) (toolspec.FileUse, *toolspec.Result) {
	place := t.cfg.Places.Classify(real)
	if place.Kind == protectedpaths.KindSecret {
		return toolspec.FileUse{}, toolkit.RefuseSecret(real, place)
	}
	return toolspec.FileUse{Path: real, Use: toolspec.UseRead, Sensitive: place.Description}, nil
}

// sources returns the source of the text of path if it is in the downloads folder, else nil.
func (t *Tools) sources(path string) []string {
	if from := t.cfg.Source(path); from != "" {
		return []string{from}
	}
	return nil
}

// maxText limits the text of a result, in characters.
const maxText = 2 << 20

// forModel returns text without control characters, cut at maxText characters. more is true if text was already cut;
// next says how to get the rest.
func forModel(text string, more bool, next string) string {
	text = excerpt.Printable(text)
	if n := utf8.RuneCountInString(text); n > maxText {
		text, more = string([]rune(text)[:maxText]), true
	}
	if more {
		text = strings.TrimRight(text, "\n") + "\n[Cut: there is more. " + next + "]\n"
	}
	return text
}
