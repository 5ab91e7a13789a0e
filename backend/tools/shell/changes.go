package shell

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/toolkit"
	"sextant/backend/tools/snapshot"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

const (
	maxNamed   = 8
	maxChanged = 200
)

// watch looks at the files before a command. changed looks again after it and reports the changes in a result;
// unwatched are paths that are not watched. Only its first call has an effect.
func (t *Tools) watch(
	ctx context.Context, call toolspec.Call, workspace string, writes, readOnly bool,
) (changed func(r *toolspec.Result, unwatched []string)) {
	if !writes {
		return func(*toolspec.Result, []string) {}
	}
	before := autorunFiles(workspace)
	var watched *snapshot.Run
	if t.cfg.Snapshots != nil && !readOnly {
		watched = t.cfg.Snapshots.Begin(ctx, call, workspace)
	}
	var once sync.Once
	return func(r *toolspec.Result, unwatched []string) {
		once.Do(func() {
			var c snapshot.Changes
			if watched != nil {
				c = watched.End(ctx)
			}
			c.UnwatchedPaths = append(c.UnwatchedPaths, unwatched...)
			reportAutorun(r, changedPaths(before, autorunFiles(workspace), workspace))
			reportChanges(r, c, workspace)
		})
	}
}

func reportChanges(r *toolspec.Result, c snapshot.Changes, workspace string) {
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	var named, all []string
	files := 0
	for _, f := range c.Files {
		name := f.Path
		if rel, err := filepath.Rel(workspace, f.Path); err == nil {
			name = filepath.ToSlash(rel)
		}
		if !slices.Contains(r.Changed, f.Path) && len(r.Changed) < maxChanged {
			r.Changed = append(r.Changed, f.Path)
		}
		all = append(all, name)
		if f.Before == wire.FolderContent || f.After == wire.FolderContent {
			name += "/"
		} else {
			files++
		}
		named = append(named, name+changeNote(f))
	}
	var lines []string
	if len(named) > 0 {
		lines = append(lines, "Changed: "+firstNames(named, maxNamed)+". undo can undo it.")
		if files == 0 {
			r.Sentence += fmt.Sprintf("; %s changed", english.Plural(len(named), "folder", ""))
		} else {
			r.Sentence += fmt.Sprintf("; %s changed", english.Plural(files, "file", ""))
		}
	}
	if c.NotUndoableReason != "" {
		lines = append(lines, "The changes of this command cannot be undone: "+c.NotUndoableReason+".")
		r.Sentence += "; its changes cannot be undone: " + c.NotUndoableReason
	}
	if len(c.UnwatchedPaths) > 0 {
		lines = append(lines, "Not watched, so undo does not cover it: "+firstNames(c.UnwatchedPaths, maxNamed)+".")
	}
	if len(c.FilesChangedLater) > 0 {
		lines = append(lines, "Changed by something else after the command had ended: "+firstNames(c.FilesChangedLater,
			maxNamed)+".")
	}
	if len(lines) == 0 {
		return
	}
	addLine(r, strings.Join(lines, "\n"))
	if value, ok := r.Value.(map[string]any); ok {
		if len(all) > 0 {
			value["changed_files"] = all[:min(len(all), maxChanged)]
		}
		if c.NotUndoableReason != "" {
			value["not_undoable"] = c.NotUndoableReason
		}
	}
}

func writtenOutside(files []toolspec.FileUse, workspace string) []string {
	var all []string
	for _, f := range files {
		path := resolved(f.Path)
		if f.Use != toolspec.UseRead && !toolkit.IsWithin(path, resolved(workspace)) && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return all
}

func changeNote(f wire.FileChange) string {
	switch {
	case f.Before == "":
		return " (new)"
	case f.After == "":
		return " (removed)"
	}
	return ""
}

func firstNames(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func addLine(r *toolspec.Result, line string) {
	r.Text = strings.TrimPrefix(r.Text+"\n"+line, "\n")
}
