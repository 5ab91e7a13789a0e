// Package shell holds the tool that runs commands of this machine: bash.
//
// A command is read before it runs (guard/shell), so that the policy and the approval know what
// it would do, and it runs confined (guard/confine), so that it cannot do more: the workspace and
// a temporary folder are all that it writes (the latter alone when it was read as only reading, which
// is what nobody is asked about), secrets are not there, and the network is off unless the call said
// that it is wanted. Then it is limited, where the sandbox can, to hosts that were granted: the
// command's way out is our own proxy, and a host that is new is asked for while it runs. Where there
// is no sandbox the description says so and why, and the policy asks every time.
//
// The room decides nothing about leave. What a command prints is handed on as it comes, and its
// head and tail are the result.
package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/guard/confine"
	"sextant/backend/guard/egress"
	"sextant/backend/guard/places"
	"sextant/backend/guard/shell"
	"sextant/backend/record/results"
	"sextant/backend/tools/room"
	"sextant/backend/tools/snapshot"
	"sextant/shared/toolspec"
)

// Group is the group all tools of this room are in.
const Group = "shell"

// Config is what the tools stand on.
type Config struct {
	// Folder is the workspace folder, absolute; it is asked for every call.
	Folder func() string
	// Home is the person's home, "" for not known.
	Home    string
	Places  *places.Places
	Confine *confine.Confine
	// Egress is the way out of commands, and Contact is asked, while call runs, whether it may reach
	// a host that it did not name: nil for yes, else a sentence. With nil a command's network is all
	// of the machine's or none, as it is where the sandbox cannot limit it.
	Egress  *egress.Guard
	Contact func(ctx context.Context, call toolspec.Call, host string) error
	// Forbidden are the paths that rules of the person keep from bash, as written and as they lead;
	// nil for none. A run does not see them.
	Forbidden func(ctx context.Context) ([]string, error)
	// Cache is a folder that commands may fill with what they can make again (built packages),
	// made when it is first needed; "" for none.
	Cache string
	// Long begins a text that keeps all of a long output; nil keeps none.
	Long func() (*results.Draft, error)
	Log  *slog.Logger
	// Watched finds what commands change in the workspace folder, so that it can be undone; nil
	// watches nothing.
	Watched *snapshot.Keeper
}

// Tools are the tools of the room. Safe for concurrent use.
type Tools struct {
	room.List[tool]
	cfg Config
}

// tool is one tool: its definition, what it does, and how it is told before it runs.
type tool struct {
	def      toolspec.Definition
	run      func(ctx context.Context, t *Tools, call toolspec.Call, out func(stream, text string)) (toolspec.Result, error)
	describe func(t *Tools, args json.RawMessage) toolspec.Description
}

// New makes the tools; whether there is a sandbox is found out when it is first asked for.
func New(cfg Config) *Tools {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Tools{cfg: cfg, List: room.List[tool]{bash()}}
}

// Definition implements room.Tool.
func (x tool) Definition() toolspec.Definition { return x.def }

// Describe says what call would do, as far as its text tells.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	return x.describe(t, call.Args)
}

// Execute runs one call. The error is our own fault; what the caller can mend is in the Result.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, out func(stream, text string)) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.UserError, "there is no tool "+call.Tool+" here", "Look at the list of tools again."), nil
	}
	return x.run(ctx, t, call, out)
}

// folder is where a call runs: dir is absolute or below the workspace.
func (t *Tools) folder(dir string) string {
	switch {
	case dir == "":
		return t.cfg.Folder()
	case dir == "~", strings.HasPrefix(dir, "~/"):
		return filepath.Join(t.cfg.Home, strings.TrimPrefix(dir, "~"))
	case filepath.IsAbs(dir):
		return filepath.Clean(dir)
	}
	return filepath.Join(t.cfg.Folder(), dir)
}

// reading is what a command would do there. What it does to temporary files is left out where a run
// has its own: nothing of it stays, and nobody's are read.
func (t *Tools) reading(command, dir string) shell.Reading {
	r := shell.Read(command, shell.Place{Folder: dir, Home: t.cfg.Home})
	if ok, _, _ := t.cfg.Confine.Available(); !ok {
		return r
	}
	before := len(r.Files)
	r.Files = slices.DeleteFunc(r.Files, func(f toolspec.FileUse) bool { return t.ownTemp(f.Path) })
	if len(r.Files) < before && len(r.Warnings) == 0 && !r.Network &&
		!slices.ContainsFunc(r.Files, func(f toolspec.FileUse) bool { return f.Use != toolspec.UseRead }) &&
		!slices.ContainsFunc(r.Commands, func(c shell.Command) bool { return !c.Harmless }) {
		r.Harmless = true
	}
	return r
}

// ownTemp reports whether path lies in the temporary folders that a run has of its own, and in
// nothing that it is shown there.
func (t *Tools) ownTemp(path string) bool {
	in := func(folder string) bool {
		rel, err := filepath.Rel(folder, path)
		return folder != "" && err == nil && filepath.IsLocal(rel)
	}
	if !in("/tmp") && !in("/var/tmp") || path == "/tmp" || path == "/var/tmp" {
		return false
	}
	return !in(t.cfg.Folder()) && !in(followed(t.cfg.Folder())) && !in(t.cfg.Cache) && !in(t.cfg.Home) && t.cfg.Places.Judge(path).Kind == places.Ordinary
}

// judged follows the links of paths as far as they exist and says which lie in places that need
// care. Secret ones are not shown inside of the sandbox; that they are named is worth a question.
func (t *Tools) judged(files []toolspec.FileUse) (out []toolspec.FileUse, warnings []string) {
	for _, f := range files {
		f.Path = followed(f.Path)
		switch place := t.cfg.Places.Judge(f.Path); place.Kind {
		case places.Secret:
			f.Sensitive = place.What
			warnings = append(warnings, fmt.Sprintf("It names %s (%s), which commands cannot see.", f.Path, place.What))
		case places.Sensitive:
			f.Sensitive = place.What
		}
		if !slices.ContainsFunc(out, func(o toolspec.FileUse) bool { return o.Path == f.Path && o.Use == f.Use }) {
			out = append(out, f)
		}
	}
	return out, warnings
}

// followed is a path with its links followed as far as it exists, up to a wildcard.
func followed(path string) string {
	known, pattern := path, ""
	if at := strings.IndexAny(path, "*?"); at >= 0 {
		at = strings.LastIndexByte(path[:at], '/') + 1
		known, pattern = path[:at], path[at:]
	}
	real, err := places.Resolve(known)
	if err != nil {
		return path
	}
	return filepath.Join(real, pattern)
}

// outside are the folders that a command works in as what it reads, when they lie outside of the
// workspace: a program that is given no file takes what is there.
func (t *Tools) outside(folders []string) []toolspec.FileUse {
	workspace := followed(t.cfg.Folder())
	confined, _, _ := t.cfg.Confine.Available()
	var all []toolspec.FileUse
	for _, folder := range folders {
		real := followed(folder)
		if confined && (real == "/tmp" || real == "/var/tmp") {
			continue // a run has its own
		}
		if rel, err := filepath.Rel(workspace, real); err != nil || !filepath.IsLocal(rel) {
			all = append(all, toolspec.FileUse{Path: real, Use: toolspec.UseRead})
		}
	}
	return all
}

// forbidden are the paths that a run must not see. One that the run could not do without refuses it.
func (t *Tools) forbidden(ctx context.Context, folders ...string) ([]string, *toolspec.Result) {
	if t.cfg.Forbidden == nil {
		return nil, nil
	}
	paths, err := t.cfg.Forbidden(ctx)
	if err != nil {
		r := toolspec.Fail(toolspec.SystemError, "your rules could not be read, so nothing ran: "+err.Error(), "Nothing was changed. Try again.")
		return nil, &r
	}
	for _, folder := range folders {
		for _, path := range paths {
			if rel, err := filepath.Rel(followed(path), followed(folder)); err == nil && (rel == "." || filepath.IsLocal(rel)) {
				r := toolspec.Fail(toolspec.PermissionError, "a rule forbids "+path+", and "+folder+" is in it",
					"Work in another folder. The person can take the rule back in the settings.")
				return nil, &r
			}
		}
	}
	return paths, nil
}

// cached is the cache's folder and the variables that lead programs there; without one they
// would try the person's own, which they cannot write.
func (t *Tools) cached() (writable, env []string) {
	if t.cfg.Cache == "" || os.MkdirAll(t.cfg.Cache, 0o700) != nil {
		return nil, nil
	}
	at := func(name string) string { return filepath.Join(t.cfg.Cache, name) }
	return []string{t.cfg.Cache}, []string{
		"XDG_CACHE_HOME=" + t.cfg.Cache, "GOCACHE=" + at("go-build"), "npm_config_cache=" + at("npm"), "PIP_CACHE_DIR=" + at("pip"),
		"YARN_CACHE_FOLDER=" + at("yarn"), "CCACHE_DIR=" + at("ccache"),
	}
}
