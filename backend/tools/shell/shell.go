// Package shell provides bash, the tool that runs commands of this machine.
//
// A command is analyzed before it runs, so that the policy and the approval know its effects, and it runs in the
// sandbox. It gets the network only if the call requests it or the analysis found a use of it. If the sandbox can limit
// the network, the command uses our proxy, and Config.CheckHost decides about hosts that the command does not name.
// Without a sandbox, the description of a call says so.
//
// Package policy decides about permissions. The output is streamed; its head and tail are the result.
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
	"sync"

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

// Config configures Tools.
type Config struct {
	// Folder returns the absolute path of the workspace folder.
	Folder func() string
	// Home is the person's home folder, or "" if it is not known.
	Home    string
	Places  *protectedpaths.Classifier
	Sandbox *confine.Sandbox
	// Egress is the proxy that commands use. CheckHost is called while call runs, for a host that the call did not
	// name. It returns nil if the host may be reached, and otherwise an error that is a complete sentence. If one of
	// them is nil, or the sandbox cannot limit the network, a command has either full network access or none.
	Egress    *egress.Guard
	CheckHost func(ctx context.Context, call toolspec.Call, host string) error
	// ForbiddenPaths returns the absolute paths that the person's rules deny to bash. The sandbox hides them.
	ForbiddenPaths func(ctx context.Context) ([]string, error)
	// Cache is a folder for the caches of commands, such as built packages. It is created when it is first needed. ""
	// is no cache.
	Cache string
	// NewDraft starts a draft that stores the complete text of a long output. If it is nil, long outputs are not
	// stored.
	NewDraft func() (*results.Draft, error)
	Log      *slog.Logger
	// Snapshots records the changes of commands in the workspace folder, so that they can be undone. It may be nil.
	Snapshots *snapshot.Watcher
}

// Tools provides bash. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	cfg Config
	// slow contains the commands that took too long for a trial.
	slow sync.Map
}

// stream is "stdout" or "stderr".
type outputFunc func(stream, text string)

type tool struct {
	def      toolspec.Definition
	run      func(ctx context.Context, t *Tools, call toolspec.Call, out outputFunc) (toolspec.Result, error)
	describe func(t *Tools, args json.RawMessage) toolspec.Description
}

// New returns the tool.
func New(cfg Config) *Tools {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Tools{cfg: cfg, List: toolkit.List[tool]{bash()}}
}

func (t tool) Definition() toolspec.Definition { return t.def }

// Describe returns the effect of call as far as the text of the command shows it.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	return x.describe(t, call.Args)
}

// Execute runs one call. Failures that the caller can correct are in the Result. The error is an unexpected failure.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, out func(stream, text string),
) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.UserError, "there is no tool "+call.Tool, "Read the list of tools again."), nil
	}
	return x.run(ctx, t, call, out)
}

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

// In the sandbox, a run has its own temporary folders, so the use of temporary files has no lasting effect.
func (t *Tools) analyze(line, dir string) command.Analysis {
	r := command.Analyze(line, command.Location{Folder: dir, Home: t.cfg.Home})
	if ok, _, _ := t.cfg.Sandbox.Available(); !ok {
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

// ownTemp excludes other folders that are mounted below the temporary folders.
func (t *Tools) ownTemp(path string) bool {
	in := func(folder string) bool { return folder != "" && toolkit.IsWithin(path, folder) }
	if !in("/tmp") && !in("/var/tmp") || path == "/tmp" || path == "/var/tmp" {
		return false
	}
	return !in(t.cfg.Folder()) && !in(resolved(t.cfg.Folder())) && !in(t.cfg.Cache) && !in(t.cfg.Home) &&
		t.cfg.Places.Classify(path).Kind == protectedpaths.KindOrdinary
}

func (t *Tools) classify(files []toolspec.FileUse) (out []toolspec.FileUse, warnings []string) {
	for _, f := range files {
		f.Path = resolved(f.Path)
		switch place := t.cfg.Places.Classify(f.Path); place.Kind {
		case protectedpaths.KindSecret:
			f.Sensitive = place.Description
			warnings = append(warnings, fmt.Sprintf("It names %s (%s), which is hidden from commands.", f.Path,
				place.Description))
		case protectedpaths.KindSensitive:
			f.Sensitive = place.Description
		}
		if !slices.ContainsFunc(out, func(o toolspec.FileUse) bool { return o.Path == f.Path && o.Use == f.Use }) {
			out = append(out, f)
		}
	}
	return out, warnings
}

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

// A program without file arguments may read any file in the folders that it works in.
func (t *Tools) outsideWorkspace(folders []string) []toolspec.FileUse {
	workspace := resolved(t.cfg.Folder())
	confined, _, _ := t.cfg.Sandbox.Available()
	var all []toolspec.FileUse
	for _, folder := range folders {
		real := resolved(folder)
		if confined && (real == "/tmp" || real == "/var/tmp") {
			continue // each run has its own temporary folder
		}
		if !toolkit.IsWithin(real, workspace) {
			all = append(all, toolspec.FileUse{Path: real, Use: toolspec.UseRead})
		}
	}
	return all
}

func (t *Tools) forbidden(ctx context.Context, folders ...string) ([]string, *toolspec.Result) {
	paths, err := t.cfg.ForbiddenPaths(ctx)
	if err != nil {
		r := toolspec.Fail(toolspec.SystemError,
			"the rules could not be read, so the command did not run: "+err.Error(), "Try again.")
		return nil, &r
	}
	for _, folder := range folders {
		for _, path := range paths {
			if toolkit.IsWithin(resolved(folder), resolved(path)) {
				r := toolspec.Fail(toolspec.PermissionError, "a rule forbids "+path+", which contains "+folder,
					"Work in another folder. The person can remove the rule in the settings.")
				return nil, &r
			}
		}
	}
	return paths, nil
}

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
