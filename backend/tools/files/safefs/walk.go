package safefs

import (
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

	"github.com/dustin/go-humanize/english"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/toolkit"
)

// maxVisited limits the entries of one walk. MaxDepth is the usual Depth of a walk with subfolders.
const (
	maxVisited = 200_000
	MaxDepth   = 64
)

// ErrStop is returned by Walk.Visit to end a walk early. Run then returns nil.
var ErrStop = errors.New("walk stopped")

// Entry is a file or folder that a walk visits.
type Entry struct {
	fs.DirEntry
	// Rel is the path relative to the start of the walk, with slashes; Real is absolute.
	Rel, Real string
	Place     protectedpaths.Classification
	// dir is the handle of the entry's folder, open until the walk leaves the folder.
	dir *os.Root
}

// Open opens a regular file of at most maxSize bytes during Visit; the caller closes it. For anything else and on an
// error, ok is false.
func (e Entry) Open(maxSize int64) (f *os.File, ok bool) {
	info, err := e.dir.Lstat(e.Name())
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, false
	}
	if f, err = e.dir.OpenFile(e.Name(), os.O_RDONLY|OpenFlags, 0); err != nil {
		return nil, false
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		_ = f.Close()
		return nil, false
	}
	return f, true
}

// Walk visits the entries of a folder in the order of their names, without following links. It skips secret places,
// places that the person's rules deny to the tool, and the inside of .git.
type Walk struct {
	FS               *FS
	Ctx              context.Context //nolint:containedctx // a Walk lives for one call
	Tool             string
	RespectGitIgnore bool
	// Depth is the number of levels to visit; 1 is the folder without its subfolders.
	Depth int
	Visit func(Entry) error

	// SkippedCount counts entries that are secret, forbidden or unreadable.
	SkippedCount int
	// Incomplete is true if the walk ended after maxVisited entries, or did not enter a folder at the last level.
	Incomplete bool

	base        string
	rules       []ignoreRule
	visited     int
	forbidden   []string
	downloads   string
	fromOutside bool
}

// Run walks the folder at t. It returns nil if Visit ends the walk with ErrStop, and after 200,000 entries.
func (w *Walk) Run(t Target) error {
	root, err := w.FS.OpenDir(t, t.Real)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := w.loadForbidden(); err != nil {
		return err
	}
	w.base, w.downloads = t.Real, w.FS.cfg.DownloadsFolder()
	if w.RespectGitIgnore && t.Workspace != "" {
		w.loadIgnoresAbove(t)
	}
	err = w.folder(root, "", 0)
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

func (w *Walk) loadForbidden() error {
	paths, err := w.FS.cfg.ForbiddenPaths(w.Ctx, w.Tool)
	if err != nil {
		return fmt.Errorf("reading the rules about %s: %w", w.Tool, err)
	}
	for _, path := range paths {
		w.forbidden = append(w.forbidden, path)
		if real, err := protectedpaths.Resolve(path); err == nil {
			w.forbidden = append(w.forbidden, real)
		}
	}
	return nil
}

func (w *Walk) folder(root *os.Root, rel string, depth int) error {
	entries, err := w.read(root)
	if err != nil {
		return err
	}
	if w.RespectGitIgnore {
		mark := len(w.rules)
		w.rules = append(w.rules, readIgnores(root, path.Join(filepath.ToSlash(w.base), rel))...)
		defer func() { w.rules = w.rules[:mark] }()
	}
	for _, d := range entries {
		if err := w.Ctx.Err(); err != nil {
			return err
		}
		if w.visited++; w.visited > maxVisited {
			w.Incomplete = true
			return ErrStop
		}
		e := Entry{DirEntry: d, Rel: path.Join(rel, d.Name()), dir: root}
		e.Real = filepath.Join(w.base, filepath.FromSlash(e.Rel))
		e.Place = w.FS.cfg.Places.ClassifyByName(e.Real)
		if e.Place.Kind == protectedpaths.KindSecret || slices.Contains(w.forbidden, e.Real) {
			w.SkippedCount++
			continue
		}
		if w.RespectGitIgnore && w.IsIgnored(e) {
			continue
		}
		if w.downloads != "" && e.Real != w.downloads && toolkit.IsWithin(e.Real, w.downloads) {
			w.fromOutside = true
		}
		if err := w.Visit(e); err != nil {
			return err
		}
		if !d.IsDir() || d.Name() == ".git" {
			continue
		}
		if depth+1 >= w.Depth {
			w.Incomplete = true
			continue
		}
		if err := w.subfolder(root, e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *Walk) subfolder(root *os.Root, e Entry, depth int) error {
	sub, err := root.OpenRoot(e.Name())
	if err != nil {
		w.SkippedCount++ // unreadable, or removed in the meantime
		return nil
	}
	defer func() { _ = sub.Close() }()
	d, err := sub.Open(".")
	if err != nil {
		w.SkippedCount++
		return nil
	}
	same := isAt(d, e.Real) // false if a link replaced the folder
	_ = d.Close()
	if !same {
		w.SkippedCount++
		return nil
	}
	return w.folder(sub, e.Rel, depth)
}

func (w *Walk) read(root *os.Root) ([]fs.DirEntry, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	var all []fs.DirEntry
	for len(all) <= maxVisited-w.visited {
		if err := w.Ctx.Err(); err != nil {
			return nil, err
		}
		some, err := d.ReadDir(1000)
		all = append(all, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			w.SkippedCount++
			break
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// Sources returns the downloads folder as a source of outside text if the walk visited something in it.
func (w *Walk) Sources() []string {
	if !w.fromOutside {
		return nil
	}
	return []string{"download:" + filepath.Base(w.downloads)}
}

// SkippedNote returns more, which may be "", followed by a note about entries that the walk left out.
func (w *Walk) SkippedNote(more string) string {
	var all []string
	if more != "" {
		all = append(all, more)
	}
	if w.visited > maxVisited {
		all = append(all, fmt.Sprintf("only the first %d entries were visited; narrow the path", maxVisited))
	}
	if w.SkippedCount > 0 {
		all = append(all, english.Plural(w.SkippedCount, "place", "")+" closed to tools or not readable left out")
	}
	return strings.Join(all, "; ")
}
