// Package inspect provides tools that only read: git_read reads a repository's history and changes, sql_query a SQLite
// file, and system_info this machine.
//
// A repository's configuration can name programs (hooks, filters, diff drivers, pagers), so git runs with settings that
// disable them, and in the sandbox if there is one. A database is opened read-only, and an authorizer allows only
// reading. Command lines are shown with likely secrets masked.
//
// Package policy decides about permissions. This package itself refuses places that no tool may touch.
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

func (t tool) Definition() toolspec.Definition { return t.def }

// Refuse returns a failed Result if finding the files of call gives a security error, which the person cannot allow.
// Otherwise it returns nil.
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

// Describe returns the effect of call and the files that it reads.
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

func define(name, group, doc, parameters string, examples ...string) toolspec.Definition {
	return toolkit.Define(name, group, doc, parameters, toolspec.Hints{ReadOnly: true}, examples...)
}

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

func (t *Tools) use(real string) (toolspec.FileUse, *toolspec.Result) {
	place := t.cfg.Places.Classify(real)
	if place.Kind == protectedpaths.KindSecret {
		return toolspec.FileUse{}, toolkit.RefuseSecret(real, place)
	}
	return toolspec.FileUse{Path: real, Use: toolspec.UseRead, Sensitive: place.Description}, nil
}

func (t *Tools) sources(path string) []string {
	if from := t.cfg.Source(path); from != "" {
		return []string{from}
	}
	return nil
}

// maxText is in characters.
const maxText = 2 << 20

// more is true if text was already cut; next says how to get the rest.
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
