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
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"sextant/backend/guard/places"
	"sextant/shared/toolspec"
)

// Config is what the tools stand on.
type Config struct {
	// Folder is the workspace folder, absolute; it is asked for every call.
	Folder func() string
	// Home is the person's home, for paths that begin with ~/; "" knows none.
	Home   string
	Places *places.Places
	// Forbidden are the absolute paths that rules of the person keep from a tool. nil knows none.
	Forbidden func(ctx context.Context, tool string) ([]string, error)
	// Downloads is where the browser puts files; what is read there comes from outside.
	Downloads string
	// Proc is where the system tells of itself, "/proc" when empty.
	Proc string
}

// Tools are the tools that look. Safe for concurrent use.
type Tools struct {
	cfg  Config
	list []tool
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
	return &Tools{cfg: cfg, list: []tool{gitRead(), sqlQuery(), systemInfo()}}
}

// Definitions lists the tools; they are the same whatever panel is active.
func (t *Tools) Definitions(string) []toolspec.Definition {
	defs := make([]toolspec.Definition, len(t.list))
	for i, x := range t.list {
		defs[i] = x.def
	}
	return defs
}

func (t *Tools) find(name string) (tool, bool) {
	for _, x := range t.list {
		if x.def.Name == name {
			return x, true
		}
	}
	return tool{}, false
}

// Refuse says of a call that it never runs, because what it would read is closed to every tool;
// nil when it may.
func (t *Tools) Refuse(call toolspec.Call) *toolspec.Result {
	x, ok := t.find(call.Tool)
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
	x, ok := t.find(call.Tool)
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
	x, ok := t.find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.ValidationError, "there is no tool "+call.Tool+" that looks", "Look at the list of tools again."), nil
	}
	return x.run(ctx, t, call), nil
}

// define makes a definition; doc is the text of the tool's .md file.
func define(name, group, doc, parameters string, examples ...string) toolspec.Definition {
	d := toolspec.Definition{
		Name: name, Description: strings.TrimSpace(doc), Parameters: json.RawMessage(parameters), Origin: toolspec.OriginBaseline, Group: group,
		Hints: toolspec.Hints{ReadOnly: true},
	}
	for _, e := range examples {
		d.Examples = append(d.Examples, json.RawMessage(e))
	}
	return d
}

// decode reads args into params; a nil Result means that it worked.
func decode(call toolspec.Call, params any) *toolspec.Result {
	if len(call.Args) == 0 {
		return nil
	}
	if err := json.Unmarshal(call.Args, params); err != nil {
		return fail(toolspec.ValidationError, fmt.Sprintf("the arguments are not as defined: %v", err), "Send a JSON object as the tool's definition says.")
	}
	return nil
}

func fail(kind toolspec.ErrorType, text, next string) *toolspec.Result {
	r := toolspec.Fail(kind, text, next)
	return &r
}

// locate follows a path of a call to the real place, says what lies there, by the names it is
// reached by too, and refuses what no tool may touch. A path that is not absolute starts at the
// workspace folder.
func (t *Tools) locate(path string) (toolspec.FileUse, *toolspec.Result) {
	none := toolspec.FileUse{}
	switch {
	case path == "":
		path = "."
	case strings.ContainsRune(path, 0):
		return none, fail(toolspec.ValidationError, "that is no path", "Send a path in the workspace, or an absolute one.")
	}
	if rest, home := strings.CutPrefix(path, "~/"); home && t.cfg.Home != "" {
		path = filepath.Join(t.cfg.Home, rest)
	}
	if !filepath.IsAbs(path) {
		if !filepath.IsLocal(path) {
			return none, fail(toolspec.SecurityError, path+" leads out of the workspace folder", "Send a path in the workspace, or an absolute one.")
		}
		// Not cleaned: what a .. means is known only once the links before it were followed.
		path = t.cfg.Folder() + string(filepath.Separator) + path
	}
	written := t.cfg.Places.Judge(path)
	if written.Kind == places.Secret {
		return none, secret(path, written)
	}
	real, err := places.Resolve(path)
	if err != nil {
		return none, fail(toolspec.UserError, err.Error(), "Send the path of the file itself.")
	}
	read, bad := t.reads(real)
	if bad != nil {
		return none, bad
	}
	if read.Sensitive == "" {
		read.Sensitive = written.What
	}
	return read, nil
}

// reads is the reading of an absolute path whose links were followed; what no tool may touch is
// refused.
func (t *Tools) reads(real string) (toolspec.FileUse, *toolspec.Result) {
	place := t.cfg.Places.Judge(real)
	if place.Kind == places.Secret {
		return toolspec.FileUse{}, secret(real, place)
	}
	return toolspec.FileUse{Path: real, Use: toolspec.UseRead, Sensitive: place.What}, nil
}

func secret(path string, place places.Place) *toolspec.Result {
	return fail(toolspec.SecurityError, path+" is closed to every tool: it is "+place.What,
		"Go on without it. If the person wants it, they can open it themselves.")
}

// sources says where what was read at path came from, nil for the person's own.
func (t *Tools) sources(path string) []string {
	if t.cfg.Downloads == "" {
		return nil
	}
	folder, err := places.Resolve(t.cfg.Downloads)
	if rel, outside := filepath.Rel(folder, path); err != nil || outside != nil || !filepath.IsLocal(rel) {
		return nil
	}
	return []string{"download:" + filepath.Base(path)}
}

// maxText is how many characters of a result a model reads.
const maxText = 50_000

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
