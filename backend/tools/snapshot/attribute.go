package snapshot

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sextant/shared/wire"
)

const concurrentNote = "another command ran at the same time, and which of them changed it is not known"

// If no command ends, the changes are attributed to the command that started first.
func (f *folder) attribute(ctx context.Context, s *scan, ending *Run) error {
	r := ending
	if r == nil {
		r = f.running[0]
	}
	if r.done.NotUndoableReason != "" {
		return nil
	}
	r.done.UnwatchedPaths = append(r.done.UnwatchedPaths, s.unwatchedChanges...)
	var rows []wire.FileChange
	var sides []state
	for _, rel := range differences(f.known, s.next) {
		before, after := f.known[rel], s.next[rel]
		if before.Bulk || after.Bulk || below(rel, f.skipped) {
			continue
		}
		if !r.ended.IsZero() && after.There && !after.Mode.IsDir() && changedAfter(after.Changed, r.ended, time.Now()) {
			r.done.FilesChangedLater = append(r.done.FilesChangedLater, rel)
			continue
		}
		rows, sides = append(rows, f.row(r, rel, before, after)), append(sides, before, after)
	}
	if len(rows) > maxChanges {
		r.done.Files, r.done.NotUndoableReason = nil, "it changed more than "+humanize.Comma(maxChanges)+" files"
		return nil
	}
	if len(rows) == 0 {
		return nil
	}
	return f.record(ctx, r, rows, sides)
}

// A time in the future comes from another clock, such as that of a network file system, and does not count.
func changedAfter(changed int64, ended, now time.Time) bool {
	return changed > ended.Add(tick).UnixNano() && changed <= now.UnixNano()
}

func (f *folder) row(r *Run, rel string, before, after state) wire.FileChange {
	note := r.note
	if len(f.running) > 1 {
		note = concurrentNote
	}
	return wire.FileChange{
		Tool: r.row.Tool, Call: r.row.Call, Turn: r.row.Turn, Conversation: r.row.Conversation, Owner: r.row.Owner,
		Note: note,
		Path: filepath.Join(f.path, filepath.FromSlash(rel)), Before: before.id(), After: after.id(),
		Mode: uint32(before.Mode), AfterMode: uint32(after.Mode), Time: time.Now(),
	}
}

// sides contains the two states of each row. A content that was lost meanwhile is marked as not stored.
func (f *folder) record(ctx context.Context, r *Run, rows []wire.FileChange, sides []state) error {
	var wanted []int
	for i, s := range sides {
		if s.Sum != "" && s.At >= 0 {
			wanted = append(wanted, i)
		}
	}
	lost := map[int]bool{}
	_, err := f.watcher.cfg.Blobs.PutAll(len(wanted), func(i int) ([]byte, error) {
		content, err := f.pack.get(sides[wanted[i]])
		if err != nil {
			lost[wanted[i]] = true
			return nil, nil
		}
		return content, nil
	})
	for i := range lost {
		if i%2 == 0 {
			rows[i/2].Before = wire.UnknownContent
		} else {
			rows[i/2].After = wire.UnknownContent
		}
	}
	if err == nil {
		err = f.watcher.cfg.ChangeLog.AddFileChanges(ctx, rows)
	}
	if err == nil {
		r.done.Files = append(r.done.Files, rows...)
	}
	return err
}

// Hold blocks walks while one of our tools changes the file at an absolute path, so that the change is not attributed
// to a command. done ends the block. Its arguments are the hashes of the old and the new content, as in
// wire.FileChange; both contents must be stored by then.
func (w *Watcher) Hold(file string) (done func(before, after string)) {
	w.mu.Lock()
	var f *folder
	for at, known := range w.folders {
		if strings.HasPrefix(file, at+string(filepath.Separator)) && (f == nil || len(at) > len(f.path)) {
			f = known
		}
	}
	w.mu.Unlock()
	if f == nil {
		return func(string, string) {}
	}
	f.mu.Lock()
	return func(before, after string) {
		defer f.mu.Unlock()
		if len(f.running) > 0 && f.known != nil && before != after {
			f.wrote(file, before, after)
		}
	}
}

// A change that the running command made to the file before is recorded for the command.
func (f *folder) wrote(file, before, after string) {
	rel, err := filepath.Rel(f.path, file)
	if err != nil {
		return
	}
	rel = filepath.ToSlash(rel)
	if !f.watches(rel) {
		f.addFolders(rel)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	r := f.running[0]
	if was := f.known[rel]; was.id() != before && r.done.NotUndoableReason == "" {
		row := f.row(r, rel, was, state{})
		row.After = before
		r.fail(f.watcher, f.record(ctx, r, []wire.FileChange{row}, []state{was, {}}))
	}
	now := f.lstat(file)
	if now.There && !now.Mode.IsDir() {
		now.Sum, now.At, now.Racy = after, -1, true
	}
	f.setKnown(rel, now)
	f.addFolders(rel)
}

func (f *folder) addFolders(rel string) {
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if _, known := f.known[dir]; known || path.Base(dir) == ".git" || !f.watches(dir) {
			continue
		}
		at := filepath.Join(f.path, filepath.FromSlash(dir))
		now := f.lstat(at)
		if info, err := os.Lstat(at); err == nil && bulk(path.Base(dir), nil) {
			now.Bulk, now.Modified = true, info.ModTime().UnixNano()
		}
		f.setKnown(dir, now)
	}
}

func (f *folder) watches(rel string) bool {
	if below(rel, f.skipped) {
		return false
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if at, known := f.known[dir]; at.Bulk || path.Base(dir) == ".git" || !known && bulk(path.Base(dir), nil) {
			return false
		}
	}
	return true
}

func (f *folder) setKnown(rel string, now state) {
	if now.There {
		f.known[rel] = now
	} else {
		delete(f.known, rel)
	}
	f.saved = nil
}

func (f *folder) lstat(file string) state {
	info, err := os.Lstat(file)
	if err != nil {
		return state{}
	}
	now := state{There: true, Mode: info.Mode().Type() | info.Mode().Perm()}
	if !info.IsDir() {
		now.Size, now.Modified = info.Size(), info.ModTime().UnixNano()
		now.Device, now.Inode, now.Changed = identity(info)
	}
	return now
}
