package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sextant/backend/tools/files/safefs"
	"sextant/shared/wire"
)

type state struct {
	There             bool
	Mode              fs.FileMode
	Size              int64
	Device, Inode     uint64
	Modified, Changed int64
	// Sum is the SHA-256 of the content in hexadecimal, or "" for a folder and for content that is not stored. At and
	// Len are the position of the content in the pack; if At is -1, the content is a blob.
	Sum     string
	At, Len int64
	// Racy is true if the file changed so shortly before it was read that a later change may have the same time. Bulk
	// is true for a folder with contents that are not watched.
	Racy, Bulk bool
}

// index contains the states in a folder, by relative paths with slashes.
type index map[string]state

func (s state) id() string {
	switch {
	case !s.There:
		return ""
	case s.Mode.IsDir():
		return wire.FolderContent
	case s.Sum == "":
		return wire.UnknownContent
	}
	return s.Sum
}

func (s state) same(o state) bool {
	if s.There != o.There || s.Mode != o.Mode || s.id() != o.id() {
		return false
	}
	return s.id() != wire.UnknownContent || s.Size == o.Size && s.Modified == o.Modified && s.Inode == o.Inode
}

// untouched reports whether s, which was not read, still has the content of o.
func (s state) untouched(o state) bool {
	return !o.Racy && s.Mode == o.Mode && s.Size == o.Size && s.Device == o.Device && s.Inode == o.Inode &&
		s.Modified == o.Modified && s.Changed == o.Changed
}

type tooLarge struct{ what string }

func (t *tooLarge) Error() string { return "the workspace is larger than " + t.what }

// tick is longer than the resolution of file times on common file systems.
const tick = 20 * time.Millisecond

var errSlow = errors.New("reading the workspace takes longer than a command should wait for it")

type scan struct {
	ctx   context.Context
	f     *folder
	next  index
	files int
	bytes int64
	began time.Time
	// measuring makes the walk only count, so that no file of a folder that is too large is read.
	measuring bool
	forbidden forbidden
	// skipped contains the relative paths that the rules forbid.
	skipped []string
	// unwatchedChanges contains the unwatched paths that were created, removed or written to.
	unwatchedChanges []string
}

func (f *folder) scan(ctx context.Context) (*scan, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.watcher.cfg.WalkTimeout, errSlow)
	defer cancel()
	forbidden, err := f.forbidden(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	s := &scan{ctx: ctx, f: f, next: index{}, began: time.Now(), forbidden: forbidden}
	if f.known == nil {
		s.measuring = true
		if err := s.folder(root, ""); err != nil {
			return nil, err
		}
		s = &scan{ctx: ctx, f: f, next: make(index, s.files), began: time.Now(), forbidden: forbidden}
	}
	if err := s.folder(root, ""); err != nil {
		return nil, err
	}
	for rel, old := range f.known {
		if _, there := s.next[rel]; old.Bulk && !there && !below(rel, s.skipped) {
			s.unwatchedChanges = append(s.unwatchedChanges, rel)
		}
	}
	return s, nil
}

// A folder that cannot be opened counts as empty.
func (s *scan) folder(root *os.Root, rel string) error {
	d, err := root.Open(".")
	if err != nil {
		return nil
	}
	names, _ := d.Readdirnames(-1) // after an error, the names read so far are enough
	_ = d.Close()
	if rel != "" && s.unwatched(rel, names) {
		return nil
	}
	for _, name := range names {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err := s.entry(root, name, path.Join(rel, name)); err != nil {
			return err
		}
	}
	return nil
}

// A folder that was watched stays watched, because a command could otherwise hide its changes.
func (s *scan) unwatched(rel string, names []string) bool {
	old, before := s.f.known[rel]
	if before && old.Mode.IsDir() {
		if !old.Bulk {
			return false
		}
	} else if !bulk(path.Base(rel), names) {
		return false
	}
	now := s.next[rel]
	now.Bulk = true
	s.next[rel] = now
	if now.Modified != old.Modified {
		s.unwatchedChanges = append(s.unwatchedChanges, rel)
	}
	return true
}

// bulk reports whether programs fill a folder with this name and these entries and can create it again.
func bulk(name string, names []string) bool {
	switch name {
	case "node_modules", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".tox":
		return true
	}
	return slices.Contains(names, "CACHEDIR.TAG") || slices.Contains(names, "pyvenv.cfg")
}

func (s *scan) entry(root *os.Root, name, rel string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return nil // removed in the meantime
	}
	kind := info.Mode().Type()
	path := filepath.Join(s.f.path, filepath.FromSlash(rel))
	old, known := s.f.known[rel]
	switch {
	case name == ".git" && kind == fs.ModeDir, !known && s.f.secret(path): // known paths were checked
		return nil
	case s.forbidden.has(path, info):
		s.skipped = append(s.skipped, rel)
		return nil
	}
	if s.files++; s.files > s.f.watcher.cfg.MaxFiles {
		return &tooLarge{fmt.Sprintf("%s files", humanize.Comma(int64(s.f.watcher.cfg.MaxFiles)))}
	}
	now := state{There: true, Mode: kind | info.Mode().Perm()}
	if kind == 0 || kind == fs.ModeSymlink || kind == fs.ModeDir {
		now.Size, now.Modified = info.Size(), info.ModTime().UnixNano() // pipes and sockets change these with use
	}
	now.Device, now.Inode, now.Changed = identity(info)
	now.Racy = max(now.Changed, now.Modified) > s.began.Add(-tick).UnixNano()
	if kind == fs.ModeDir {
		// A folder's size and times depend on its entries, which are compared separately.
		s.next[rel] = state{There: true, Mode: now.Mode, Modified: now.Modified}
		below, err := root.OpenRoot(name)
		if err != nil {
			return nil
		}
		err = s.folder(below, rel)
		_ = below.Close()
		if at := s.next[rel]; !at.Bulk {
			at.Modified = 0
			s.next[rel] = at
		}
		return err
	}
	if kind == 0 && now.Size <= maxFile {
		if s.bytes += now.Size; s.bytes > s.f.watcher.cfg.MaxBytes {
			return &tooLarge{fmt.Sprintf("%d MB", s.f.watcher.cfg.MaxBytes>>20)}
		}
	}
	if s.measuring || known && now.untouched(old) {
		s.next[rel] = old
		return nil
	}
	if err := s.read(root, name, kind, &now); err != nil {
		return fmt.Errorf("storing %s: %w", rel, err)
	}
	s.next[rel] = now
	return nil
}

// read skips content that is too large or cannot be read. The error is from writing the pack.
func (s *scan) read(root *os.Root, name string, kind fs.FileMode, now *state) error {
	var content []byte
	if kind != 0 && kind != fs.ModeSymlink {
		return nil
	}
	if kind == fs.ModeSymlink {
		to, err := root.Readlink(name)
		if err != nil {
			return nil
		}
		content = []byte(to)
	} else {
		if now.Size > maxFile {
			return nil
		}
		f, err := root.OpenFile(name, os.O_RDONLY|safefs.OpenFlags, 0)
		if err != nil {
			return nil
		}
		info, err := f.Stat()
		if err != nil || !info.Mode().IsRegular() {
			_ = f.Close()
			return nil
		}
		content, err = io.ReadAll(io.LimitReader(f, maxFile+1))
		_ = f.Close()
		if err != nil || len(content) > maxFile {
			return nil
		}
		now.Racy = now.Racy || int64(len(content)) != now.Size // a program is writing the file
	}
	return s.f.pack.put(content, now)
}

// ending is the command that ended, or nil.
func (f *folder) walk(ctx context.Context, ending *Run) error {
	s, err := f.scan(ctx)
	if err != nil {
		// There is nothing to compare later changes with.
		if large := (*tooLarge)(nil); errors.As(err, &large) || ctx.Err() == nil {
			for _, r := range f.running {
				r.fail(f.watcher, err)
			}
			f.known = nil
		}
		if errors.Is(err, errSlow) {
			f.slow = time.Now()
		}
		return err
	}
	f.dropForbidden(s)
	if len(f.running) > 0 && f.known != nil {
		if err := f.attribute(ctx, s, ending); err != nil {
			return err
		}
	}
	f.known, f.skipped = s.next, s.skipped
	return nil
}

func differences(before, after index) []string {
	var all []string
	for rel, old := range before {
		if now := after[rel]; !old.same(now) {
			all = append(all, rel)
		}
	}
	for rel := range after {
		if _, known := before[rel]; !known {
			all = append(all, rel)
		}
	}
	slices.SortFunc(all, compareNames)
	return all
}

// compareNames sorts a folder before its contents.
func compareNames(a, b string) int {
	return cmp.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}
