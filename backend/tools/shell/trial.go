package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/overlay"
	"sextant/backend/tools/files/history"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	// trialLimit is how long a trial may run, and then again how long reading its changes may take.
	trialLimit    = 10 * time.Second
	maxSearch     = time.Second
	maxTrialFile  = 1 << 20
	maxTrialDiff  = 64 << 10
	maxTrialNames = 3
)

// onCopy tells the model why the command may not have found something.
const onCopy = "It ran without network and without the person's files outside of the workspace folder."

// Try runs a command on a copy of the workspace folder. It returns nil if that is not possible here, or if the trial
// does not show what the command does: it failed, took too long or changed too much.
func (t *Tools) Try(ctx context.Context, call toolspec.Call, out func(stream, text string)) (*toolspec.Trial, error) {
	p, bad := t.newRun(ctx, call)
	inside := resolved(p.dir) == resolved(p.workspace) || filepath.IsLocal(p.WorkingDir)
	if bad != nil || !inside || p.Network || terminalOf(ctx) != nil || !t.cfg.Sandbox.HasOverlays() ||
		t.cfg.Sandbox.ForcesReadOnly(p.workspace) {
		return nil, nil //nolint:nilnil // no trial
	}
	output := newOutput(out, t.cfg.NewDraft)
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
	if err != nil || exit.Killed || missedSomething(exit, output) {
		return nil, err
	}
	timed, stop := context.WithTimeout(ctx, trialLimit)
	defer stop()
	changes, err := layer.Read(timed, p.workspace, isCache)
	if errors.Is(err, overlay.ErrTooMuch) {
		return nil, nil //nolint:nilnil // no trial
	}
	if err != nil {
		return nil, fmt.Errorf("reading the changes of a command: %w", err)
	}
	if exit.Code != 0 && len(changes) > 0 {
		return nil, nil //nolint:nilnil // it may have done only a part
	}
	result := commandResult(p.bashParams, output, exit, false)
	addLine(&result, onCopy)
	if result.Spooled, err = output.whole(); err != nil {
		t.cfg.Log.Error("a long output was not stored", "err", err)
	}
	trial := t.describeTrial(p, layer, changes)
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

// missedSomething reports whether a failed command may have failed only because it was a trial. Many failures are
// answers: a test failed, nothing was found.
func missedSomething(exit confine.Exit, out *output) bool {
	if exit.Code == 0 {
		return false
	}
	text, _ := out.text()
	return exit.Code > 125 || restriction.MatchString(text)
}

var restriction = regexp.MustCompile(`(?i)permission|denied|not permitted|no such file|not found|cannot find|enoent|` +
	`eacces|eperm|read-only|network|resolve|connect|unreachable|timed? ?out|socket|address|getaddrinfo|device|home`)

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
	spec.Layers = map[string]*overlay.Layer{p.workspace: layer}
	spec.Writable, spec.Env = t.cacheFolder()
	spec.Env = append(spec.Env, "GIT_OPTIONAL_LOCKS=0") // git status would refresh its index
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
	err := layer.Apply(ctx, p.workspace)
	if err != nil {
		result = toolspec.Fail(toolspec.SystemError, "the changes were not made completely: "+err.Error(),
			"Look at the files, then try again.")
		result.Sentence = "Could not change the files"
	}
	var since *overlay.ChangedSinceError
	if errors.As(err, &since) {
		result = toolspec.Fail(toolspec.UserError, since.Error()+", so nothing was changed", "Run it again.")
	}
	changed(&result, nil)
	return result, nil
}

// describeTrial describes changes for the policy and for the person.
func (t *Tools) describeTrial(p run, layer *overlay.Layer, changes []overlay.Change) *toolspec.Trial {
	trial := &toolspec.Trial{}
	var diff strings.Builder
	named := map[overlay.Kind][]string{}
	created := "" // the topmost new folder that contains the current path
	repository := false
	for _, c := range changes {
		if c.Path == ".git" || strings.HasPrefix(c.Path, ".git/") {
			if !repository {
				repository = true
				trial.Files = append(trial.Files, toolspec.FileUse{
					Path: filepath.Join(p.workspace, ".git"), Use: toolspec.UseWrite,
				})
				diff.WriteString("changed the git repository\n")
				named[overlay.Changed] = append(named[overlay.Changed], "the git repository")
			}
			continue
		}
		use := toolspec.UseWrite
		if c.Kind == overlay.Deleted {
			use = toolspec.UseDelete
		}
		trial.Files = append(trial.Files, toolspec.FileUse{Path: filepath.Join(p.workspace, c.Path), Use: use})
		name := excerpt.Line(filepath.ToSlash(c.Path), 80)
		if c.Folder {
			name += "/"
		}
		if c.Files > 0 {
			name += " (" + english.Plural(c.Files, "file", "") + ")"
		}
		fmt.Fprintf(&diff, "%s %s\n", c.Kind, name)
		if created == "" || !strings.HasPrefix(c.Path, created+"/") {
			named[c.Kind] = append(named[c.Kind], name)
			created = ""
			if c.Kind == overlay.Created && c.Folder {
				created = c.Path
			}
		}
		if text := diffOf(p.workspace, layer, c); diff.Len()+len(text) <= maxTrialDiff {
			diff.WriteString(text)
		}
	}
	trial.Files, _ = t.classify(trial.Files)
	trial.Diff = diff.String()
	if len(changes) == 0 {
		return trial
	}
	var parts []string
	for _, verb := range []struct {
		kind overlay.Kind
		text string
	}{{overlay.Changed, "change"}, {overlay.Created, "create"}, {overlay.Deleted, "delete"}} {
		names := named[verb.kind]
		switch {
		case len(names) > maxTrialNames:
			parts = append(parts, fmt.Sprintf("%s %d files and folders", verb.text, len(names)))
		case len(names) > 0:
			parts = append(parts, verb.text+" "+english.OxfordWordSeries(names, "and"))
		}
	}
	trial.Question = sentenceCase(english.OxfordWordSeries(parts, "and")) + " with “" +
		excerpt.Line(p.Command, 80) + "”?"
	return trial
}

func sentenceCase(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// diffOf returns the unified diff of a text file, "" for anything else and for a deleted file.
func diffOf(workspace string, layer *overlay.Layer, c overlay.Change) string {
	if c.Folder || c.Kind == overlay.Deleted {
		return ""
	}
	before, after, err := layer.Contents(workspace, c, maxTrialFile)
	if err != nil {
		return ""
	}
	return history.Compare(filepath.ToSlash(c.Path), before, after).Text
}
