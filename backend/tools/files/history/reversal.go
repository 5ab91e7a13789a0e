package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// version is a state of a path: the hash from wire.FileChange, and the type and permissions. A mode of 0 is unknown.
type version struct {
	hash string
	mode fs.FileMode
}

func (s State) version() version { return version{s.Hash(), s.Mode()} }

func (v version) same(o version) bool {
	return v.hash == o.hash && (v.hash == "" || v.mode == 0 || o.mode == 0 || v.mode == o.mode)
}

func (v version) restorable() bool { return v.hash != wire.UnknownContent }

func (v version) folderOrNone() bool { return v.hash == "" || v.hash == wire.FolderContent }

// Reversal combines the changes to one file, so that they can be undone together.
type Reversal struct {
	Path          string
	before, after version
	// own contains versions that these changes wrote.
	own []version
	// interleaved is true if something else may have changed the file between the changes; command if a shell command
	// made one of them.
	interleaved, command bool
	note                 string
}

// Creates reports whether the changes created the file, so that undoing them removes it.
func (r Reversal) Creates() bool { return r.before.hash == "" }

func (r Reversal) isOwn(v version) bool { return slices.ContainsFunc(r.own, v.same) }

// Reversals groups changes by file, in the order of each file's first change. The changes are ordered by age, oldest
// first. A file that a command restored itself is left out.
func Reversals(changes []wire.FileChange) []Reversal {
	var all []Reversal
	at := map[string]int{}
	for _, c := range changes {
		before, after := version{c.Before, fs.FileMode(c.Mode)}, version{c.After, fs.FileMode(c.AfterMode)}
		i, known := at[c.Path]
		if !known {
			i = len(all)
			at[c.Path] = i
			all = append(all, Reversal{Path: c.Path, before: before, after: after, own: []version{after}})
		} else {
			all[i].add(before, after)
		}
		r := &all[i]
		r.command = r.command || c.Tool == commandTool
		if c.Note != "" {
			r.note = c.Note
		}
	}
	// A command that restored a file itself changed nothing.
	return slices.DeleteFunc(all, func(r Reversal) bool {
		return r.command && r.before.restorable() && r.before == r.after
	})
}

func (r *Reversal) add(before, after version) {
	switch {
	case before.same(r.before) && before.restorable():
		// The earlier change was undone in between, or its write never happened.
		r.own, r.interleaved = nil, false
	case !r.isOwn(before) || !before.restorable():
		r.interleaved = true
	}
	r.after, r.own = after, append(r.own, after)
}

// commandTool is the tool name in the rows of changes that a shell command made.
const commandTool = "bash"

// If now is an earlier own version, the later changes were undone or never happened.
func (r Reversal) startingAt(now version) Reversal {
	if r.isOwn(now) && now.restorable() {
		r.after = now
	}
	return r
}

func (r Reversal) did() string {
	switch {
	case r.before.hash == "":
		return "made"
	case r.after.hash == "":
		return "removed"
	}
	return "changed"
}

// RecordedChanges returns the selected changes; see ChangeLog.FileChanges.
func (h *History) RecordedChanges(ctx context.Context, conversation, owner, turn, call string) ([]wire.FileChange,
	error,
) {
	return h.cfg.ChangeLog.FileChanges(ctx, conversation, owner, turn, call)
}

// WaitSettled calls Watcher.WaitSettled.
func (h *History) WaitSettled(ctx context.Context) { h.cfg.Watcher.WaitSettled(ctx) }

// Changes returns the file changes of a turn and whether each one can be undone.
func (h *History) Changes(ctx context.Context, turn string) ([]wire.ChangedFile, error) {
	h.WaitSettled(ctx)
	changes, err := h.RecordedChanges(ctx, "", "", turn, "")
	if err != nil {
		return nil, err
	}
	var all []Reversal
	var targets []safefs.Target
	files := []wire.ChangedFile{}
	for _, r := range Reversals(changes) {
		t, err := h.cfg.FS.LocateReal(r.Path)
		if err != nil {
			files = append(files, wire.ChangedFile{
				Path: r.Path, DisplayPath: r.Path, Change: r.did(), State: wire.UndoConflict, Reason: err.Error(),
			})
			continue
		}
		all, targets = append(all, r), append(targets, t)
	}
	judged, err := h.judgeAll(ctx, all, targets, func(Reversal, safefs.Target) (bool, error) { return false, nil })
	return append(judged, files...), err
}

// Undo undoes the reversals that it can, each at the target of the same index, and returns the outcomes. undone lists
// the targets that were restored. With preview, nothing is changed.
func (h *History) Undo(
	ctx context.Context, call toolspec.Call, all []Reversal, targets []safefs.Target, preview bool,
) (files []wire.ChangedFile, undone []safefs.Target, err error) {
	files, err = h.judgeAll(ctx, all, targets, func(r Reversal, t safefs.Target) (bool, error) {
		if preview {
			return false, nil
		}
		if err := h.undo(ctx, call, r, t); err != nil {
			return false, err
		}
		undone = append(undone, t)
		return true, nil
	})
	return files, undone, err
}

func (h *History) undo(ctx context.Context, call toolspec.Call, r Reversal, t safefs.Target) error {
	before, err := h.content(r.before.hash)
	if err != nil {
		return fmt.Errorf("reading the old content of %s: %w", t.DisplayPath, err)
	}
	_, err = h.Change(ctx, call, t, func(now State) (Edit, error) {
		if v := now.version(); !v.same(r.startingAt(v).after) {
			return Edit{}, toolkit.UserError("it was changed since", "")
		}
		return Edit{Remove: r.Creates(), Content: before, Mode: r.before.mode}, nil
	})
	return err
}

// judgeAll judges creations first, from the inside out, so that their folders become empty; then the others, from the
// outside in. If do returns a *toolkit.CallError, its message becomes the reason why the change cannot be undone.
func (h *History) judgeAll(
	ctx context.Context, all []Reversal, targets []safefs.Target, do func(Reversal, safefs.Target) (bool, error),
) ([]wire.ChangedFile, error) {
	files := make([]wire.ChangedFile, len(all))
	plan := undoPlan{map[string]bool{}, map[string]bool{}}
	for _, i := range undoOrder(all) {
		f := h.judge(ctx, all[i], targets[i], plan)
		if f.State == wire.UndoReady {
			var failed *toolkit.CallError
			switch done, err := do(all[i], targets[i]); {
			case errors.As(err, &failed):
				f.State, f.Reason = wire.UndoConflict, failed.Message
			case err != nil:
				return nil, err
			case done:
				f.State = wire.UndoDone
				fallthrough
			default:
				plan.removed[targets[i].Real] = all[i].Creates()
				plan.folders[targets[i].Real] = all[i].before.hash == wire.FolderContent
			}
		}
		files[i] = f
	}
	return withoutImplied(files, all, targets), nil
}

func undoOrder(all []Reversal) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := all[a], all[b]
		switch {
		case x.Creates() && y.Creates():
			return strings.Compare(y.Path, x.Path)
		case x.Creates():
			return -1
		case y.Creates():
			return 1
		}
		return strings.Compare(x.Path, y.Path)
	})
	return order
}

func withoutImplied(files []wire.ChangedFile, all []Reversal, targets []safefs.Target) []wire.ChangedFile {
	implied := map[string]bool{}
	for i, r := range all {
		dir := filepath.Dir(r.Path)
		for !implied[dir] && dir != filepath.Dir(dir) && targets[i].Workspace != dir {
			implied[dir] = true
			dir = filepath.Dir(dir)
		}
	}
	shown := files[:0]
	for i, f := range files {
		if r := all[i]; !implied[r.Path] || !r.before.folderOrNone() || !r.after.folderOrNone() {
			shown = append(shown, f)
		}
	}
	return shown
}

// undoPlan contains the paths that the reversals so far remove, and those that they make folders.
type undoPlan struct{ removed, folders map[string]bool }

func (p undoPlan) inFolder(path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if p.folders[dir] {
			return true
		}
	}
	return false
}

func (h *History) judge(ctx context.Context, r Reversal, t safefs.Target, plan undoPlan) wire.ChangedFile {
	now, err := h.Read(ctx, t)
	if err != nil && r.after.hash == "" && plan.inFolder(t.Real) {
		now, err = State{}, nil
	}
	current := now.version()
	if err == nil {
		r = r.startingAt(current)
	}
	f := wire.ChangedFile{Path: r.Path, DisplayPath: t.DisplayPath, Change: r.did(), State: wire.UndoReady}
	if r.command {
		f.ChangedBy = wire.ChangedByCommand
	}
	before, errBefore := h.content(r.before.hash)
	after, errAfter := h.content(r.after.hash)
	if errBefore == nil && errAfter == nil {
		d := Compare(t.DisplayPath, before, after)
		f.Diff, f.Added, f.Removed, f.Note = d.Text, d.Added, d.Removed, d.Note
	}
	f.Note = joinNotes(modeNote(r), r.note, f.Note)
	conflict := func(why string) { f.State, f.Reason = wire.UndoConflict, why }
	switch {
	case errBefore != nil:
		conflict("its old content is no longer stored")
	case !r.before.restorable() && safefs.IsSpecial(r.before.mode):
		conflict("it was " + safefs.Kind(r.before.mode) + " before, which cannot be restored")
	case !r.before.restorable():
		conflict("its old content was not stored: it is larger than " + humanize.IBytes(maxContent) +
			" or could not be read")
	case err != nil:
		conflict(err.Error())
	case current.same(r.before) && !r.before.same(r.after):
		f.State = wire.UndoDone
	case r.interleaved:
		conflict("something else changed it in between")
	case !current.same(r.after):
		conflict(whatChanged(now, current.hash == r.after.hash))
	case r.before.hash != wire.FolderContent && r.after.hash == wire.FolderContent && !h.emptyWithout(t, plan.removed):
		conflict("the folder holds something else by now")
	}
	return f
}

func whatChanged(now State, modeOnly bool) string {
	switch {
	case !now.Exists:
		return "it was removed since"
	case now.Info.Mode()&fs.ModeSymlink != 0:
		return "it is a link to " + string(now.Content) + " now"
	case safefs.IsSpecial(now.Info.Mode()):
		return "it is " + safefs.Kind(now.Info.Mode()) + " now"
	case modeOnly:
		return "its permissions were changed since"
	}
	return "it was changed since"
}

func (h *History) emptyWithout(t safefs.Target, removed map[string]bool) bool {
	dir, err := h.cfg.FS.OpenDir(t, t.Real)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	d, err := dir.Open(".")
	if err != nil {
		return false
	}
	names, err := d.Readdirnames(-1)
	_ = d.Close()
	return err == nil && !slices.ContainsFunc(names, func(name string) bool {
		return !removed[filepath.Join(t.Real, name)]
	})
}

func modeNote(r Reversal) string {
	before, after := r.before.mode, r.after.mode
	switch {
	case r.before.hash == wire.FolderContent || r.after.hash == wire.FolderContent:
		return "a folder"
	case after == 0 || before == 0:
		switch mode := before | after; {
		case mode&fs.ModeSymlink != 0:
			return "a link"
		case safefs.IsSpecial(mode):
			return safefs.Kind(mode)
		}
		return ""
	case before.Type() != after.Type():
		return safefs.Kind(before) + " before, " + safefs.Kind(after) + " after"
	case before != after:
		return "permissions " + before.Perm().String() + " before, " + after.Perm().String() + " after"
	}
	return ""
}

func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
}

func (h *History) content(hash string) ([]byte, error) {
	if !isBlob(hash) {
		return nil, nil
	}
	r, _, err := h.cfg.Blobs.Open(hash)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, maxContent+1))
}
