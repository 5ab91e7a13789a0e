package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/overlay"
	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

const (
	// trialLimit is how long a trial may run, and then again how long reading its changes may take.
	trialLimit = 10 * time.Second
	maxSearch  = time.Second
)

// onCopy tells the model why the command may not have found something.
const onCopy = "It ran without network and without the person's files outside of the workspace folder."

// Try runs a command on a copy of the workspace folder. It returns nil if that is not possible here, or if the trial
// does not show what the command does: it missed something, took too long or changed too much.
func (t *Tools) Try(ctx context.Context, call toolspec.Call) (*toolspec.Trial, error) {
	p, bad := t.newRun(ctx, call)
	if _, slow := t.slow.Load(p.Command); slow {
		return nil, nil //nolint:nilnil // no trial
	}
	if bad != nil || !toolkit.IsWithin(resolved(p.dir), resolved(p.workspace)) || p.Network ||
		terminalOf(ctx) != nil || !t.cfg.Sandbox.HasOverlays() || t.cfg.Sandbox.ForcesReadOnly(p.workspace) {
		return nil, nil //nolint:nilnil // no trial
	}
	var printed chunks
	output := newOutput(printed.add, t.cfg.NewDraft)
	defer output.discard()
	layer, err := t.cfg.Sandbox.NewLayer()
	if err != nil {
		return nil, fmt.Errorf("making a copy of the folder: %w", err)
	}
	kept := false
	defer func() {
		if !kept {
			layer.Remove()
		}
	}()
	exit, err := t.runOnLayer(ctx, p, layer, output)
	if exit.Killed && ctx.Err() == nil {
		t.slow.Store(p.Command, true) // the next call of it need not wait for nothing
	}
	if err != nil || exit.Killed || missedSomething(exit, output) {
		return nil, err
	}
	timed, stop := context.WithTimeout(ctx, trialLimit)
	defer stop()
	changes, err := layer.Read(timed, p.workspace, isCache)
	if errors.Is(err, overlay.ErrUnsupported) {
		return nil, nil //nolint:nilnil // no trial
	}
	if err != nil {
		return nil, fmt.Errorf("reading the changes of a command: %w", err)
	}
	if exit.Code != 0 && len(changes) > 0 {
		return nil, nil //nolint:nilnil // it may have done only a part
	}
	result := commandResult(p.bashParams, output, exit, false)
	if call.From.Caller != toolspec.CallerPilot { // the pilot shows a person the whole result
		addLine(&result, onCopy)
	}
	if result.Spooled, err = output.whole(); err != nil {
		t.cfg.Log.Error("a long output was not stored", "err", err)
	}
	trial := t.describeTrial(p, layer, changes)
	trial.Output = printed.all
	trial.DurationMS = exit.Duration.Milliseconds()
	var mu sync.Mutex
	taken := false
	trial.Apply = func(ctx context.Context) (toolspec.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		taken = true
		return t.applyTrial(ctx, p, layer, len(changes) > 0, result)
	}
	trial.Discard = func() {
		mu.Lock() // after a stop, Apply may still be at work
		defer mu.Unlock()
		layer.Remove()
		if !taken && result.Spooled != nil {
			result.Spooled.Discard()
		}
	}
	kept = true
	return trial, nil
}

// chunks collects output of both streams up to maxOutput.
type chunks struct {
	mu   sync.Mutex
	all  []toolspec.OutputChunk
	size int
}

func (c *chunks) add(stream, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(text); c.size <= maxOutput {
		c.all = append(c.all, toolspec.OutputChunk{Stream: stream, Text: text})
	}
}

// missedSomething reports whether a command, or a part of it, may have failed only because it was a trial. Many
// failures are answers: a test failed, nothing was found.
func missedSomething(exit confine.Exit, out *output) bool {
	text, _ := out.text()
	return denied.MatchString(text) || exit.Code > 125 || exit.Code != 0 && restricted.MatchString(text)
}

// denied matches messages about what a trial refuses, restricted other messages that its limits can lead to.
var (
	denied = regexp.MustCompile(`(?i)permission denied|not permitted|eacces|eperm\b|value too large for defined`)

	restricted = regexp.MustCompile(`(?i)permission|denied|eperm|value too large|no such file|not found|cannot find|` +
		`enoent|read-only|network|resolve|connect|unreachable|timed? ?out|socket|address|getaddrinfo|device|home`)
)

// isCache reports whether a folder contains only what a program writes again when it needs it.
func isCache(name string) bool {
	return slices.Contains([]string{"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"}, name)
}

func (t *Tools) runOnLayer(ctx context.Context, p run, layer *overlay.Layer, out *output) (confine.Exit, error) {
	spec := p.spec(out)
	secret, err := t.secretFiles(ctx, p.workspace)
	if err != nil {
		return confine.Exit{}, err
	}
	spec.Hidden, spec.DenyHidden = append(spec.Hidden, secret...), true
	t.closeHome(p, &spec)
	spec.Restricted = append(spec.Restricted, "/var")
	spec.Layers = map[string]*overlay.Layer{p.workspace: layer}
	spec.Writable, spec.Env = t.cacheFolder()
	spec.Limits.FileSize = overlay.MaxBytes
	// git status would refresh its index. missedSomething reads English messages.
	spec.Env = append(spec.Env, "GIT_OPTIONAL_LOCKS=0", "LC_MESSAGES=C", "LANGUAGE=en")
	if len(spec.Writable) > 0 {
		cache, err := t.cfg.Sandbox.NewLayer()
		if err != nil {
			return confine.Exit{}, fmt.Errorf("making a copy of the folder for caches: %w", err)
		}
		defer cache.Remove()
		spec.Layers[spec.Writable[0]] = cache
	}
	timed, stop := context.WithTimeout(ctx, min(trialLimit, p.limit()))
	defer stop()
	return t.cfg.Sandbox.Run(timed, spec)
}

// secretFiles returns the files and folders of the workspace folder that can contain secrets. A command that names one
// asks.
func (t *Tools) secretFiles(ctx context.Context, workspace string) (all []string, err error) {
	timed, stop := context.WithTimeout(ctx, maxSearch)
	defer stop()
	err = filepath.WalkDir(workspace, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d != nil && d.IsDir():
			return filepath.SkipDir // the command cannot read it either
		case err != nil:
			return err
		case d.Name() == ".git" && hasCredentials(filepath.Join(path, "config")):
			all = append(all, filepath.Join(path, "config"))
			return filepath.SkipDir
		case path != workspace && t.cfg.Places.Classify(path).HoldsSecrets():
			all = append(all, path)
			if d.IsDir() {
				return filepath.SkipDir
			}
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		}
		return timed.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("looking for files with secrets: %w", err)
	}
	return all, nil
}

func (t *Tools) applyTrial(
	ctx context.Context, p run, layer *overlay.Layer, changes bool, result toolspec.Result,
) (toolspec.Result, error) {
	if !changes {
		return result, nil
	}
	changed := t.watch(ctx, p.call, p.workspace, true, false)
	if err := layer.Apply(ctx, p.workspace); err != nil {
		if result.Spooled != nil {
			result.Spooled.Discard()
		}
		result = toolspec.Fail(toolspec.SystemError, "the changes were not made completely: "+err.Error(),
			"Look at the files, then try again.")
		result.Sentence = "Could not change the files"
		var since *overlay.ChangedSinceError
		if errors.As(err, &since) {
			result = toolspec.Fail(toolspec.UserError, since.Error()+", so nothing was changed", "Run it again.")
		}
	}
	changed(&result, nil)
	return result, nil
}
