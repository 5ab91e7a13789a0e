package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/wire"
)

// version is what lay at a path at some time: its content as a FileChange names it, and its kind
// and permissions, 0 for not known.
type version struct {
	id   string
	mode fs.FileMode
}

func (c current) version() version { return version{c.hash(), c.mode()} }

// same reports whether two versions are one, as far as both are known.
func (v version) same(o version) bool {
	return v.id == o.id && (v.id == "" || v.mode == 0 || o.mode == 0 || v.mode == o.mode)
}

// kept reports whether v can be had again.
func (v version) kept() bool { return v.id != wire.NotKept }

func (v version) folderOrNone() bool { return v.id == "" || v.id == wire.KeptFolder }

// reversal is what some changes did to one file in all: from before to after.
type reversal struct {
	path          string
	before, after version
	// own are the versions it had by these changes after before, the last one included.
	own []version
	// broken says that something else changed the file between the changes; command that a command
	// was among them, and note what is to be known of it.
	broken, command bool
	note            string
}

// isOwn reports whether v is what one of the changes made.
func (r reversal) isOwn(v version) bool { return slices.ContainsFunc(r.own, v.same) }

// reversals sums changes up by file, in the order of the first change.
func reversals(changes []wire.FileChange) []reversal {
	var all []reversal
	at := map[string]int{}
	for _, c := range changes {
		before, after := version{c.Before, fs.FileMode(c.Mode)}, version{c.After, fs.FileMode(c.AfterMode)}
		i, known := at[c.Path]
		if !known {
			i = len(all)
			at[c.Path] = i
			all = append(all, reversal{path: c.Path, before: before, after: after, own: []version{after}})
		} else {
			r := &all[i]
			switch {
			case before.same(r.before) && before.kept():
				// It was undone in between, or the write never came about.
				r.own, r.broken = nil, false
			case !r.isOwn(before) || !before.kept():
				r.broken = true
			}
			r.after, r.own = after, append(r.own, after)
		}
		r := &all[i]
		r.command = r.command || c.Tool == commandTool
		if c.Note != "" {
			r.note = c.Note
		}
	}
	// What a command did and undid itself is no change.
	return slices.DeleteFunc(all, func(r reversal) bool { return r.command && r.before.kept() && r.before == r.after })
}

// commandTool is the tool whose changes are a command's.
const commandTool = "bash"

// from is what the reversal starts at when the file is now: the last version, or an earlier one
// of its own when what came after was undone, or never came about.
func (r reversal) from(now version) reversal {
	if r.isOwn(now) && now.kept() {
		r.after = now
	}
	return r
}

func (r reversal) did() string {
	switch {
	case r.before.id == "":
		return "made"
	case r.after.id == "":
		return "removed"
	}
	return "changed"
}

// Changes says what a turn did to files and whether each can be undone.
func (t *Tools) Changes(ctx context.Context, turn string) ([]wire.ChangedFile, error) {
	t.cfg.Watched.Settled(ctx)
	changes, err := t.cfg.Changes.FileChanges(ctx, "", "", turn, "")
	if err != nil {
		return nil, err
	}
	var all []reversal
	var at []target
	files := []wire.ChangedFile{}
	for _, r := range reversals(changes) {
		a, err := t.locateSelf(r.path)
		if err != nil {
			files = append(files, wire.ChangedFile{Path: r.path, Shown: r.path, Did: r.did(), State: wire.UndoConflict, Why: err.Error()})
			continue
		}
		all, at = append(all, r), append(at, a)
	}
	judged, err := t.judgeAll(ctx, all, at, func(reversal, target) (bool, error) { return false, nil })
	return append(judged, files...), err
}

// judgeAll judges reversals in the order in which they can be taken back: what was made goes first,
// from the inside out, so that folders are empty by then, and the rest comes back from the outside
// in. do is called for each that can be and says
// whether it was; a fault of it is why it could not. The answer is in the
// order of all, without folders that one of the other files tells of.
func (t *Tools) judgeAll(ctx context.Context, all []reversal, at []target, do func(reversal, target) (bool, error)) ([]wire.ChangedFile, error) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := all[a], all[b]
		switch goes, too := x.before.id == "", y.before.id == ""; {
		case goes && too:
			return strings.Compare(y.path, x.path)
		case goes:
			return -1
		case too:
			return 1
		}
		return strings.Compare(x.path, y.path)
	})
	files := make([]wire.ChangedFile, len(all))
	plan := undoPlan{map[string]bool{}, map[string]bool{}}
	for _, i := range order {
		f := t.judgeUndo(ctx, all[i], at[i], plan)
		if f.State == wire.UndoReady {
			var bad *fault
			switch done, err := do(all[i], at[i]); {
			case errors.As(err, &bad):
				f.State, f.Why = wire.UndoConflict, bad.message
			case err != nil:
				return nil, err
			case done:
				f.State = wire.UndoDone
				fallthrough
			default:
				plan.leaving[at[i].real] = all[i].before.id == ""
				plan.folders[at[i].real] = all[i].before.id == wire.KeptFolder
			}
		}
		files[i] = f
	}
	return shownOf(files, all, at), nil
}

// shownOf leaves out folders that a file below them tells of.
func shownOf(files []wire.ChangedFile, all []reversal, at []target) []wire.ChangedFile {
	told := map[string]bool{}
	for i, r := range all {
		for dir := filepath.Dir(r.path); !told[dir] && dir != filepath.Dir(dir) && at[i].folder != dir; dir = filepath.Dir(dir) {
			told[dir] = true
		}
	}
	shown := files[:0]
	for i, f := range files {
		if r := all[i]; !told[r.path] || !r.before.folderOrNone() || !r.after.folderOrNone() {
			shown = append(shown, f)
		}
	}
	return shown
}

// undoPlan is what is taken back before: paths that are taken away, and those that are folders again.
type undoPlan struct{ leaving, folders map[string]bool }

// within reports whether a folder around path is one again by then, so that nothing is in it.
func (p undoPlan) within(path string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if p.folders[dir] {
			return true
		}
	}
	return false
}

// judgeUndo says whether a change can be taken back now, or will be as far as plan came, and shows
// what it did.
func (t *Tools) judgeUndo(ctx context.Context, r reversal, a target, plan undoPlan) wire.ChangedFile {
	now, err := t.now(ctx, a)
	if err != nil && r.after.id == "" && plan.within(a.real) {
		now, err = current{}, nil
	}
	is := now.version()
	if err == nil {
		r = r.from(is)
	}
	f := wire.ChangedFile{Path: r.path, Shown: a.shown, Did: r.did(), State: wire.UndoReady}
	if r.command {
		f.By = wire.ByCommand
	}
	before, errBefore := t.blob(r.before.id)
	after, errAfter := t.blob(r.after.id)
	if errBefore == nil && errAfter == nil {
		d := diffOf(a.shown, before, after)
		f.Diff, f.Added, f.Removed, f.Note = d.text, d.added, d.removed, d.note
	}
	f.Note = joined(modeNote(r), r.note, f.Note)
	switch {
	case errBefore != nil:
		f.State, f.Why = wire.UndoConflict, "what it held before is not kept any more"
	case !r.before.kept() && special(r.before.mode):
		f.State, f.Why = wire.UndoConflict, "it was "+kindOf(r.before.mode)+" before, which is not kept"
	case !r.before.kept():
		f.State, f.Why = wire.UndoConflict, "what it held before was not kept: it is larger than "+sized(maxKept)+" or could not be read"
	case err != nil:
		f.State, f.Why = wire.UndoConflict, err.Error()
	case is.same(r.before) && !r.before.same(r.after):
		f.State = wire.UndoDone
	case r.broken:
		f.State, f.Why = wire.UndoConflict, "something else changed it in between"
	case !is.same(r.after):
		f.State, f.Why = wire.UndoConflict, changedHow(now, is.id == r.after.id)
	case r.before.id != wire.KeptFolder && r.after.id == wire.KeptFolder && !t.empties(a, plan.leaving):
		f.State, f.Why = wire.UndoConflict, "the folder holds something else by now"
	}
	return f
}

// changedHow says what is in the way of taking a change back.
func changedHow(now current, modeOnly bool) string {
	switch {
	case !now.exists:
		return "it was removed since"
	case now.info.Mode()&fs.ModeSymlink != 0:
		return "it is a link to " + string(now.content) + " now"
	case special(now.info.Mode()):
		return "it is " + kindOf(now.info.Mode()) + " now"
	case modeOnly:
		return "its permissions were changed since"
	}
	return "it was changed since"
}

// empties reports whether nothing is left in a folder without what leaves it.
func (t *Tools) empties(a target, leaving map[string]bool) bool {
	root, err := t.openDir(a, a.real)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	d, err := root.Open(".")
	if err != nil {
		return false
	}
	names, err := d.Readdirnames(-1)
	_ = d.Close()
	return err == nil && !slices.ContainsFunc(names, func(name string) bool { return !leaving[filepath.Join(a.real, name)] })
}

// special reports whether a mode is of what holds nothing of its own: a pipe, a socket, a device.
func special(mode fs.FileMode) bool { return mode.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 }

// modeNote says what changed besides the content.
func modeNote(r reversal) string {
	before, after := r.before.mode, r.after.mode
	switch {
	case r.before.id == wire.KeptFolder || r.after.id == wire.KeptFolder:
		return "a folder"
	case after == 0 || before == 0:
		switch is := before | after; {
		case is&fs.ModeSymlink != 0:
			return "a link"
		case special(is):
			return kindOf(is)
		}
		return ""
	case before.Type() != after.Type():
		return kindOf(before) + " before, " + kindOf(after) + " after"
	case before != after:
		return "permissions " + before.Perm().String() + " before, " + after.Perm().String() + " after"
	}
	return ""
}

// joined are the parts that say something, as one note.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// blob reads a kept content; "" and a folder are none.
func (t *Tools) blob(id string) ([]byte, error) {
	if id == "" || id == wire.KeptFolder || id == wire.NotKept {
		return nil, nil
	}
	r, _, err := t.cfg.Blobs.Open(id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, maxKept+1))
}
