package shell

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/tools/room"
	"sextant/backend/tools/snapshot"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Bounds of what an answer tells of changed files: names for a model and a person, paths for the
// window, which reads the rest by itself.
const (
	maxNamed   = 8
	maxChanged = 200
)

// watch begins to watch the workspace folder for a command; changed says, once it ended, what it changed.
func (t *Tools) watch(ctx context.Context, call toolspec.Call, workspace string) (changed func() snapshot.Changes) {
	if t.cfg.Watched == nil {
		return func() (none snapshot.Changes) { return none }
	}
	run := t.cfg.Watched.Begin(ctx, call, workspace)
	return func() snapshot.Changes { return run.End(ctx) }
}

// tellChanged says in an answer which files the command changed, or why that cannot be undone.
func tellChanged(r *toolspec.Result, c snapshot.Changes, workspace string) {
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	var named, all []string
	for _, f := range c.Files {
		name := f.Path
		if rel, err := filepath.Rel(workspace, f.Path); err == nil {
			name = filepath.ToSlash(rel)
		}
		if !slices.Contains(r.Changed, f.Path) && len(r.Changed) < maxChanged {
			r.Changed = append(r.Changed, f.Path)
		}
		all = append(all, name)
		if f.Before == wire.KeptFolder || f.After == wire.KeptFolder {
			name += "/"
		}
		named = append(named, name+did(f))
	}
	var said []string
	if len(named) > 0 {
		said = append(said, "Changed: "+few(named, maxNamed)+". undo takes it back.")
		r.Sentence += fmt.Sprintf("; %s changed", files(len(named)))
	}
	if c.Why != "" {
		said = append(said, "What this command changed cannot be undone: "+c.Why+".")
		r.Sentence += "; what it changed cannot be undone: " + c.Why
	}
	if len(c.Unwatched) > 0 {
		said = append(said, "Not watched, so that undo does not cover it: "+few(c.Unwatched, maxNamed)+".")
	}
	if len(c.Others) > 0 {
		said = append(said, "Changed after the command had ended, by something else: "+few(c.Others, maxNamed)+".")
	}
	if len(said) == 0 {
		return
	}
	r.Text = strings.TrimPrefix(r.Text+"\n"+strings.Join(said, "\n"), "\n")
	if value, ok := r.Value.(map[string]any); ok {
		if len(all) > 0 {
			value["changed_files"] = all[:min(len(all), maxChanged)]
		}
		if c.Why != "" {
			value["not_undoable"] = c.Why
		}
	}
}

// elsewhere are the files outside of the workspace folder that a command names as what it writes, which
// only one without a sandbox can.
func elsewhere(files []toolspec.FileUse, workspace string) []string {
	var all []string
	for _, f := range files {
		path := followed(f.Path)
		if f.Use != toolspec.UseRead && !room.Within(path, followed(workspace)) && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return all
}

// did says in brackets what became of a file; of a plain change nothing is said.
func did(f wire.FileChange) string {
	switch {
	case f.Before == "":
		return " (new)"
	case f.After == "":
		return " (removed)"
	}
	return ""
}

// few are the first names, at most so many, and how many more there are.
func few(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
