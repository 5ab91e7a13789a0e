// Package shell holds bash, the tool that runs commands of this machine.
//
// A command is analysed before it runs, so that the policy and the approval know what it would do, and it runs in
// the sandbox, so that it cannot do more. It can write only to the workspace and a temporary folder (to the latter
// alone when it was analysed as only reading, which nobody is asked about), secrets are hidden, and the network is
// off unless the call asks for it. Where the sandbox can limit the network to granted hosts, the command reaches it
// through our proxy, and the person is asked about a new host while the command runs. Without a sandbox the
// description says so, and the policy asks every time.
//
// The package decides nothing about permissions. The output is streamed, and its head and tail are the result.
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

	"sextant/backend/policy/command"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
	"sextant/backend/store/results"
	"sextant/backend/toolkit"
	"sextant/backend/tools/snapshot"
	"sextant/shared/toolspec"
)

// Group is the group of all tools of this package.
const Group = "shell"

// Config is what the tools need.
type Config struct {
	// Folder returns the workspace folder, absolute; it is called for every call.
	Folder func() string
	// Home is the person's home folder, "" when it is not known.
	Home    string
	Places  *protectedpaths.Places
	Confine *confine.Sandbox
	// Egress is the proxy that commands use. AllowHost is called while call runs, for a host that the call did not
	// name: it returns nil when the host may be reached, else an error that is a sentence. With both nil, or where the
	// sandbox cannot limit the network, a command has all of it or none.
	Egress    *egress.Guard
	AllowHost func(ctx context.Context, call toolspec.Call, host string) error
	// Forbidden returns the paths that the person's rules keep from bash, as written and with links followed.
	// Commands do not see them.
	Forbidden func(ctx context.Context) ([]string, error)
	// Cache is a folder for the caches of commands (built packages), created when it is first needed; "" for none.
	Cache string
	// NewDraft starts a draft that stores the whole of a long output; nil stores none.
	NewDraft func() (*results.Draft, error)
	Log      *slog.Logger
	// Snapshots records what commands change in the workspace folder, so that it can be undone; it may be nil.
	Snapshots *snapshot.Watcher
}

// Tools is the list of bash. Safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	cfg Config
}

// outputFunc streams the output of a command; stream is "stdout" or "stderr".
type outputFunc func(stream, text string)

// tool is a tool: its definition and its functions.
type tool struct {
	def      toolspec.Definition
	run      func(ctx context.Context, t *Tools, call toolspec.Call, out outputFunc) (toolspec.Result, error)
	describe func(t *Tools, args json.RawMessage) toolspec.Description
}

// New makes the tool. Whether there is a sandbox is checked when it is first needed.
func New(cfg Config) *Tools {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Tools{cfg: cfg, List: toolkit.List[tool]{bash()}}
}

// Definition implements toolkit.Tool.
func (t tool) Definition() toolspec.Definition { return t.def }

// Describe says what call would do, as far as the text of the command shows.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	return x.describe(t, call.Args)
}

// Execute runs one call. What the caller can correct is in the Result; the error is a fault of the program.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, out func(stream, text string),
) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.UserError, "there is no tool "+call.Tool, "Read the list of tools again."), nil
	}
	return x.run(ctx, t, call, out)
}

// folder returns where a call runs; dir is absolute or relative to the workspace.
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

// analyze analyses a command in a folder. Its use of temporary files is left out where a run has temporary folders
// of its own.
func (t *Tools) analyze(line, dir string) command.Reading {
	r := command.Read(line, command.Place{Folder: dir, Home: t.cfg.Home})
	if ok, _, _ := t.cfg.Confine.Available(); !ok {
		return r
	}
	before := len(r.Files)
	r.Files = slices.DeleteFunc(r.Files, func(f toolspec.FileUse) bool { return t.ownTemp(f.Path) })
	if len(r.Files) < before && len(r.Warnings) == 0 && !r.Network &&
		!slices.ContainsFunc(r.Files, func(f toolspec.FileUse) bool { return f.Use != toolspec.UseRead }) &&
		!slices.ContainsFunc(r.Commands, func(c command.Command) bool { return !c.Harmless }) {
		r.Harmless = true
	}
	return r
}

// ownTemp reports whether path is in the temporary folders of a run, and not in a folder that is mounted there.
func (t *Tools) ownTemp(path string) bool {
	in := func(folder string) bool { return folder != "" && toolkit.Within(path, folder) }
	if !in("/tmp") && !in("/var/tmp") || path == "/tmp" || path == "/var/tmp" {
		return false
	}
	return !in(t.cfg.Folder()) && !in(resolved(t.cfg.Folder())) && !in(t.cfg.Cache) && !in(t.cfg.Home) &&
		t.cfg.Places.Classify(path).Kind == protectedpaths.Ordinary
}

// classify follows the links of paths and marks those in sensitive places. Secret places are hidden in the sandbox;
// a command that names one gets a warning.
func (t *Tools) classify(files []toolspec.FileUse) (out []toolspec.FileUse, warnings []string) {
	for _, f := range files {
		f.Path = resolved(f.Path)
		switch place := t.cfg.Places.Classify(f.Path); place.Kind {
		case protectedpaths.Secret:
			f.Sensitive = place.Description
			warnings = append(warnings, fmt.Sprintf("It names %s (%s), which is hidden from commands.", f.Path,
				place.Description))
		case protectedpaths.Sensitive:
			f.Sensitive = place.Description
		}
		if !slices.ContainsFunc(out, func(o toolspec.FileUse) bool { return o.Path == f.Path && o.Use == f.Use }) {
			out = append(out, f)
		}
	}
	return out, warnings
}

// resolved is a path with its links followed as far as it exists, up to a wildcard.
func resolved(path string) string {
	known, pattern := path, ""
	if at := strings.IndexAny(path, "*?"); at >= 0 {
		at = strings.LastIndexByte(path[:at], '/') + 1
		known, pattern = path[:at], path[at:]
	}
	real, err := protectedpaths.Resolve(known)
	if err != nil {
		return path
	}
	return filepath.Join(real, pattern)
}

// outsideWorkspace are the folders outside the workspace that a command works in, as read: a program without file
// arguments may read what is there.
func (t *Tools) outsideWorkspace(folders []string) []toolspec.FileUse {
	workspace := resolved(t.cfg.Folder())
	confined, _, _ := t.cfg.Confine.Available()
	var all []toolspec.FileUse
	for _, folder := range folders {
		real := resolved(folder)
		if confined && (real == "/tmp" || real == "/var/tmp") {
			continue // a run has its own
		}
		if !toolkit.Within(real, workspace) {
			all = append(all, toolspec.FileUse{Path: real, Use: toolspec.UseRead})
		}
	}
	return all
}

// forbidden returns the paths that are hidden from a run. It refuses the run when a forbidden path contains one of
// folders.
func (t *Tools) forbidden(ctx context.Context, folders ...string) ([]string, *toolspec.Result) {
	paths, err := t.cfg.Forbidden(ctx)
	if err != nil {
		r := toolspec.Fail(toolspec.SystemError,
			"the rules could not be read, so the command did not run: "+err.Error(), "Try again.")
		return nil, &r
	}
	for _, folder := range folders {
		for _, path := range paths {
			if toolkit.Within(resolved(folder), resolved(path)) {
				r := toolspec.Fail(toolspec.PermissionError, "a rule forbids "+path+", which contains "+folder,
					"Work in another folder. The person can remove the rule in the settings.")
				return nil, &r
			}
		}
	}
	return paths, nil
}

// cacheFolder returns the cache folder and the variables that make programs use it; the person's own caches are
// not writable.
func (t *Tools) cacheFolder() (writable, env []string) {
	if t.cfg.Cache == "" || os.MkdirAll(t.cfg.Cache, 0o700) != nil {
		return nil, nil
	}
	at := func(name string) string { return filepath.Join(t.cfg.Cache, name) }
	return []string{t.cfg.Cache}, []string{
		"XDG_CACHE_HOME=" + t.cfg.Cache, "GOCACHE=" + at("go-build"), "npm_config_cache=" + at("npm"),
		"PIP_CACHE_DIR=" + at("pip"),
		"YARN_CACHE_FOLDER=" + at("yarn"), "CCACHE_DIR=" + at("ccache"),
	}
}
