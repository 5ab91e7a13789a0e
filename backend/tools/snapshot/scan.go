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

	"sextant/shared/wire"
)

// state is what lies at one path.
type state struct {
	// There is false for nothing; Mode holds the kind and the permissions.
	There             bool
	Mode              fs.FileMode
	Size              int64
	Device, Inode     uint64
	Modified, Changed int64
	// Sum names the content, hexadecimal SHA-256; "" of a folder and of what is not kept. At and
	// Len are where it stands in the pack; At -1 is a blob.
	Sum     string
	At, Len int64
	// Racy says that it changed so shortly before it was read that a later change may show the
	// same time. Bulk is a folder whose content is not watched.
	Racy, Bulk bool
}

// index is all that a folder holds, by paths from it with slashes.
type index map[string]state

// id is how rows name a state.
func (s state) id() string {
	switch {
	case !s.There:
		return ""
	case s.Mode.IsDir():
		return wire.KeptFolder
	case s.Sum == "":
		return wire.NotKept
	}
	return s.Sum
}

// same reports whether two states need no row: of what is not kept, its outside decides.
func (s state) same(o state) bool {
	if s.There != o.There || s.Mode != o.Mode || s.id() != o.id() {
		return false
	}
	return s.id() != wire.NotKept || s.Size == o.Size && s.Modified == o.Modified && s.Inode == o.Inode
}

// untouched reports whether what was read of o still stands for s, which was not read.
func (s state) untouched(o state) bool {
	return !o.Racy && s.Mode == o.Mode && s.Size == o.Size && s.Device == o.Device && s.Inode == o.Inode &&
		s.Modified == o.Modified && s.Changed == o.Changed
}

// tooLarge says that a folder is over the bounds.
type tooLarge struct{ what string }

// Error implements error.
func (e *tooLarge) Error() string { return "the workspace is larger than " + e.what }

// tick is longer than the steps in which file systems tell time.
const tick = 20 * time.Millisecond

// errSlow says that a walk took too long, so that it is not tried again for some time.
var errSlow = errors.New("reading the workspace takes longer than a command should wait for it")

// scan is one walk through a folder.
type scan struct {
	ctx   context.Context
	f     *folder
	next  index
	files int
	bytes int64
	began time.Time
	// measuring only counts: nothing is read of a folder that turns out to be too large.
	measuring bool
	barred    barred
	// passed is what rules forbid, by paths from the folder.
	passed []string
	// unseen are places that are not watched and were made, removed or written to.
	unseen []string
}

// scan walks through the folder and puts by what its files hold.
func (f *folder) scan(ctx context.Context) (*scan, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.k.cfg.Wait, errSlow)
	defer cancel()
	barred, err := f.barred(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	s := &scan{ctx: ctx, f: f, next: index{}, began: time.Now(), barred: barred}
	if f.known == nil {
		s.measuring = true
		if err := s.folder(root, ""); err != nil {
			return nil, err
		}
		s = &scan{ctx: ctx, f: f, next: make(index, s.files), began: time.Now(), barred: barred}
	}
	if err := s.folder(root, ""); err != nil {
		return nil, err
	}
	for rel, old := range f.known {
		if _, there := s.next[rel]; old.Bulk && !there && !below(rel, s.passed) {
			s.unseen = append(s.unseen, rel)
		}
	}
	return s, nil
}

// folder walks through the folder root at rel. What cannot be opened holds nothing to us.
func (s *scan) folder(root *os.Root, rel string) error {
	d, err := root.Open(".")
	if err != nil {
		return nil
	}
	names, _ := d.Readdirnames(-1) // as far as they can be read
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

// unwatched reports whether what is in the folder rel is not watched. What was watched once stays
// so, or a command could take files out of sight.
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
		s.unseen = append(s.unseen, rel)
	}
	return true
}

// bulk reports whether a folder is one that programs fill and can make again.
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
		return nil // gone by now
	}
	kind := info.Mode().Type()
	path := filepath.Join(s.f.path, filepath.FromSlash(rel))
	old, known := s.f.known[rel]
	switch {
	case name == ".git" && kind == fs.ModeDir, !known && s.f.secret(path): // what is known was judged
		return nil
	case s.barred.has(path, info):
		s.passed = append(s.passed, rel)
		return nil
	}
	if s.files++; s.files > s.f.k.cfg.Files {
		return &tooLarge{fmt.Sprintf("%s files", humanize.Comma(int64(s.f.k.cfg.Files)))}
	}
	now := state{There: true, Mode: kind | info.Mode().Perm()}
	if kind == 0 || kind == fs.ModeSymlink || kind == fs.ModeDir {
		now.Size, now.Modified = info.Size(), info.ModTime().UnixNano() // of others they tell of what went through
	}
	now.Device, now.Inode, now.Changed = identity(info)
	now.Racy = max(now.Changed, now.Modified) > s.began.Add(-tick).UnixNano()
	if kind == fs.ModeDir {
		// A folder's size and times tell of its entries, which are looked at themselves.
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
		if s.bytes += now.Size; s.bytes > s.f.k.cfg.Bytes {
			return &tooLarge{fmt.Sprintf("%d MB", s.f.k.cfg.Bytes>>20)}
		}
	}
	if s.measuring || known && now.untouched(old) {
		s.next[rel] = old
		return nil
	}
	if err := s.read(root, name, kind, &now); err != nil {
		return fmt.Errorf("putting %s by: %w", rel, err)
	}
	s.next[rel] = now
	return nil
}

// read puts the content of a file or link by. What cannot be read, is too large, or is neither, is
// not kept; the error is that of our own disk.
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
		f, err := root.OpenFile(name, os.O_RDONLY|openCarefully, 0)
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
		now.Racy = now.Racy || int64(len(content)) != now.Size // it is being written to
	}
	return s.f.pack.put(content, now)
}

// walk compares the folder with what it was, keeps rows of what is different for the command that
// did it, and takes the newer state as the one to compare with. ending is the command that ended,
// nil for none.
func (f *folder) walk(ctx context.Context, ending *Run) error {
	s, err := f.scan(ctx)
	if err != nil {
		// What changes from here on has nothing to be compared with.
		if large := (*tooLarge)(nil); errors.As(err, &large) || ctx.Err() == nil {
			for _, r := range f.running {
				r.fail(f.k, err)
			}
			f.known = nil
		}
		if errors.Is(err, errSlow) {
			f.slow = time.Now()
		}
		return err
	}
	f.passBy(s)
	if len(f.running) > 0 && f.known != nil {
		if err := f.settle(ctx, s, ending); err != nil {
			return err
		}
	}
	f.known, f.passed = s.next, s.passed
	return nil
}

// differences are the paths of either index that are not the same in both, in order.
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

// compareNames orders a folder before what is in it.
func compareNames(a, b string) int {
	return cmp.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}
