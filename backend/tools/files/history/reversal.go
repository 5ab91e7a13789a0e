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

// version is what lay at a path at some time: its content as wire.FileChange names it, and its type
// and permissions, 0 when they are not known.
type version struct {
	hash string
	mode fs.FileMode
}

func (s State) version() version { return version{s.Hash(), s.Mode()} }

// same reports whether two versions are one, as far as both are known.
func (v version) same(o version) bool {
	return v.hash == o.hash && (v.hash == "" || v.mode == 0 || o.mode == 0 || v.mode == o.mode)
}

// restorable reports whether v can be written again.
func (v version) restorable() bool { return v.hash != wire.UnknownContent }

func (v version) folderOrNone() bool { return v.hash == "" || v.hash == wire.FolderContent }

// Reversal is what some changes did to one file in all, and can be undone together.
type Reversal struct {
	Path          string
	before, after version
	// own are the versions that these changes made, the last one included.
	own []version
	// interleaved says that something else changed the file between the changes; command that a shell
	// command is among them.
	interleaved, command bool
	note                 string
}

// Creates reports whether the changes created the file, so that undoing them removes it.
func (r Reversal) Creates() bool { return r.before.hash == "" }

// isOwn reports whether one of the changes made v.
func (r Reversal) isOwn(v version) bool { return slices.ContainsFunc(r.own, v.same) }

// Reversals sums changes up by file, in the order of the first change.
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
	// What a command changed and changed back is no change.
	return slices.DeleteFunc(all, func(r Reversal) bool {
		return r.command && r.before.restorable() && r.before == r.after
	})
}

// add takes a further change of the file in.
func (r *Reversal) add(before, after version) {
	switch {
	case before.same(r.before) && before.restorable():
		// It was undone in between, or the write never happened.
		r.own, r.interleaved = nil, false
	case !r.isOwn(before) || !before.restorable():
		r.interleaved = true
	}
	r.after, r.own = after, append(r.own, after)
}

// commandTool is the tool name of changes made by a shell command.
const commandTool = "bash"

// startingAt returns the reversal of a file that is at version now: an earlier own version when what
// came after it was undone, or never happened.
func (r Reversal) startingAt(now version) Reversal {
	if r.isOwn(now) && now.restorable() {
		r.after = now
	}
	return r
}

// did names the change: "made", "removed" or "changed".
func (r Reversal) did() string {
	switch {
	case r.before.hash == "":
		return "made"
	case r.after.hash == "":
		return "removed"
	}
	return "changed"
}

// Recorded returns the changes of a turn or of a call, see Log.FileChanges.
func (h *History) Recorded(ctx context.Context, conversation, owner, turn, call string) ([]wire.FileChange, error) {
	return h.cfg.Log.FileChanges(ctx, conversation, owner, turn, call)
}

// Settled waits until the changes of commands that were stopped shortly before are recorded.
func (h *History) Settled(ctx context.Context) { h.cfg.Watcher.Settled(ctx) }

// Changes returns what a turn did to files and whether each change can be undone.
func (h *History) Changes(ctx context.Context, turn string) ([]wire.ChangedFile, error) {
	h.Settled(ctx)
	changes, err := h.Recorded(ctx, "", "", turn, "")
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

// Undo undoes reversals, each at its target, and returns what became of each; undone are the targets
// that were. With preview nothing is changed.
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

// undo writes one file back as it was before.
func (h *History) undo(ctx context.Context, call toolspec.Call, r Reversal, t safefs.Target) error {
	before, err := h.content(r.before.hash)
	if err != nil {
		return fmt.Errorf("reading the old content of %s: %w", t.Shown, err)
	}
	_, err = h.Change(ctx, call, t, func(now State) (Edit, error) {
		if v := now.version(); !v.same(r.startingAt(v).after) {
			return Edit{}, toolkit.UserError("it was changed since", "")
		}
		return Edit{Remove: r.Creates(), Content: before, Mode: r.before.mode}, nil
	})
	return err
}

// judgeAll judges reversals in an order in which they can be undone: first what was made, from the
// inside out, so that its folders are empty by then, then the rest from the outside in. do is called
// for each that can be undone and reports whether it did so; a *toolkit.CallError of it becomes the
// reason why not. The answer is in the order of all, without folders that a file in them implies.
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

// withoutImplied leaves out folders that a changed file below them implies.
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

// undoPlan is what the reversals before the present one do: paths that they remove, and paths that
// become folders again.
type undoPlan struct{ removed, folders map[string]bool }

// inFolder reports whether a folder around path becomes one again, so that nothing is in it.
func (p undoPlan) inFolder(path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if p.folders[dir] {
			return true
		}
	}
	return false
}

// judge returns what a reversal did, and whether it can be undone after what plan does.
func (h *History) judge(ctx context.Context, r Reversal, t safefs.Target, plan undoPlan) wire.ChangedFile {
	now, err := h.Read(ctx, t)
	if err != nil && r.after.hash == "" && plan.inFolder(t.Real) {
		now, err = State{}, nil
	}
	is := now.version()
	if err == nil {
		r = r.startingAt(is)
	}
	f := wire.ChangedFile{Path: r.Path, DisplayPath: t.Shown, Change: r.did(), State: wire.UndoReady}
	if r.command {
		f.ChangedBy = wire.ChangedByCommand
	}
	before, errBefore := h.content(r.before.hash)
	after, errAfter := h.content(r.after.hash)
	if errBefore == nil && errAfter == nil {
		d := Compare(t.Shown, before, after)
		f.Diff, f.Added, f.Removed, f.Note = d.Text, d.Added, d.Removed, d.Note
	}
	f.Note = joinNotes(modeNote(r), r.note, f.Note)
	conflict := func(why string) { f.State, f.Reason = wire.UndoConflict, why }
	switch {
	case errBefore != nil:
		conflict("its old content is no longer stored")
	case !r.before.restorable() && safefs.Special(r.before.mode):
		conflict("it was " + safefs.Kind(r.before.mode) + " before, which cannot be restored")
	case !r.before.restorable():
		conflict("its old content was not stored: it is larger than " + humanize.IBytes(maxContent) +
			" or could not be read")
	case err != nil:
		conflict(err.Error())
	case is.same(r.before) && !r.before.same(r.after):
		f.State = wire.UndoDone
	case r.interleaved:
		conflict("something else changed it in between")
	case !is.same(r.after):
		conflict(whatChanged(now, is.hash == r.after.hash))
	case r.before.hash != wire.FolderContent && r.after.hash == wire.FolderContent && !h.emptyWithout(t, plan.removed):
		conflict("the folder holds something else by now")
	}
	return f
}

// whatChanged says what prevents undoing a change.
func whatChanged(now State, modeOnly bool) string {
	switch {
	case !now.Exists:
		return "it was removed since"
	case now.Info.Mode()&fs.ModeSymlink != 0:
		return "it is a link to " + string(now.Content) + " now"
	case safefs.Special(now.Info.Mode()):
		return "it is " + safefs.Kind(now.Info.Mode()) + " now"
	case modeOnly:
		return "its permissions were changed since"
	}
	return "it was changed since"
}

// emptyWithout reports whether a folder is empty once the removed paths are gone.
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

// modeNote says what changed besides the content.
func modeNote(r Reversal) string {
	before, after := r.before.mode, r.after.mode
	switch {
	case r.before.hash == wire.FolderContent || r.after.hash == wire.FolderContent:
		return "a folder"
	case after == 0 || before == 0:
		switch mode := before | after; {
		case mode&fs.ModeSymlink != 0:
			return "a link"
		case safefs.Special(mode):
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

// content reads a stored content; "" and a folder have none.
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
