package overlay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Limits of what Read accepts.
const (
	maxChanges = 2_000
	maxBytes   = 256 << 20
)

// ErrTooMuch means that the run changed more than a person can judge and Sextant wants to copy.
var ErrTooMuch = fmt.Errorf("it changed more than %d files or %d MB", maxChanges, maxBytes>>20)

// Read returns what the run changed in folder, in the order of the paths. A file that was only touched is no change,
// and changes in folders of a name that ignored accepts are left out; Apply does not make them. The run must have
// ended.
func (l *Layer) Read(ctx context.Context, folder string, ignored func(name string) bool) ([]Change, error) {
	lower, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	defer lower.Close()
	upper, err := os.OpenRoot(l.Upper())
	if err != nil {
		return nil, fmt.Errorf("opening a layer: %w", err)
	}
	defer upper.Close()
	l.changes, l.before = nil, map[string]string{}
	r := reader{ctx: ctx, layer: l, lower: lower, upper: upper, ignored: ignored}
	if err := r.readFolder(".", false); err != nil {
		return nil, err
	}
	slices.SortFunc(l.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return slices.Clone(l.changes), nil
}

type reader struct {
	ctx          context.Context
	layer        *Layer
	lower, upper *os.Root
	ignored      func(name string) bool
	bytes        int64
}

// readFolder reads a folder of the layer. hidden is true if the run did not see the files of the folder at that path,
// so those that the layer does not contain are deleted.
func (r *reader) readFolder(path string, hidden bool) error {
	entries, err := fs.ReadDir(r.upper.FS(), filepath.ToSlash(path))
	if err != nil {
		return fmt.Errorf("reading a layer: %w", err)
	}
	for _, e := range entries {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return fmt.Errorf("reading a layer: %w", err)
		}
		if err := r.readEntry(filepath.Join(path, e.Name()), info, hidden); err != nil {
			return err
		}
	}
	if !hidden {
		return nil
	}
	old, err := fs.ReadDir(r.lower.FS(), filepath.ToSlash(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	for _, e := range old {
		if slices.ContainsFunc(entries, func(kept fs.DirEntry) bool { return kept.Name() == e.Name() }) {
			continue
		}
		was, err := e.Info()
		if err != nil {
			return fmt.Errorf("reading the folder: %w", err)
		}
		gone := Change{Path: filepath.Join(path, e.Name()), Kind: Deleted, Folder: e.IsDir()}
		if err := r.add(gone, was); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readEntry(path string, info fs.FileInfo, hidden bool) error {
	was, err := lstat(r.lower, path)
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	switch mode := info.Mode(); {
	case isWhiteout(info):
		if was == nil {
			return nil // the run created and deleted it
		}
		return r.add(Change{Path: path, Kind: Deleted, Folder: was.IsDir()}, was)
	case mode.IsDir() && r.ignored(info.Name()):
		return nil
	case mode.IsDir():
		return r.readChangedFolder(path, info, was, hidden)
	case mode.IsRegular():
		r.bytes += info.Size()
		if r.bytes > maxBytes {
			return ErrTooMuch
		}
	case mode.Type() != fs.ModeSymlink:
		return nil // sockets and pipes end with the run
	}
	if was == nil {
		return r.add(Change{Path: path, Kind: Created}, nil)
	}
	if same, err := r.isSame(path, info, was); err != nil || same {
		return err
	}
	return r.add(Change{Path: path, Kind: Changed}, was)
}

func (r *reader) readChangedFolder(path string, info, was fs.FileInfo, hidden bool) error {
	c := Change{Path: path, Kind: Changed, Folder: true}
	if was == nil {
		c.Kind = Created
	}
	if was == nil || info.Mode() != was.Mode() {
		if err := r.add(c, was); err != nil {
			return err
		}
	}
	replaces := was != nil && was.IsDir() && (hidden || isOpaque(filepath.Join(r.layer.Upper(), path)))
	return r.readFolder(path, replaces)
}

func (r *reader) add(c Change, was fs.FileInfo) error {
	if len(r.layer.changes) == maxChanges {
		return ErrTooMuch
	}
	state := stateOf(was)
	if c.Kind == Deleted && c.Folder {
		var err error
		if state, c.Files, err = stateOfTree(r.ctx, r.lower, c.Path); err != nil {
			return fmt.Errorf("reading the folder: %w", err)
		}
	}
	r.layer.changes = append(r.layer.changes, c)
	r.layer.before[c.Path] = state
	return nil
}

// isSame compares a file or symbolic link of the layer with the one of the folder.
func (r *reader) isSame(path string, info, was fs.FileInfo) (bool, error) {
	if info.Mode() != was.Mode() {
		return false, nil
	}
	if info.Mode().Type() == fs.ModeSymlink {
		now, err := r.upper.Readlink(path)
		if err != nil {
			return false, fmt.Errorf("reading a layer: %w", err)
		}
		before, err := r.lower.Readlink(path)
		return err == nil && now == before, nil
	}
	if info.Size() != was.Size() {
		return false, nil
	}
	a, err := r.upper.Open(path)
	if err != nil {
		return false, fmt.Errorf("reading a layer: %w", err)
	}
	defer a.Close()
	b, err := r.lower.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false, fmt.Errorf("reading the folder: %w", err)
	}
	defer b.Close()
	return sameContent(a, b)
}

func sameContent(a, b io.Reader) (bool, error) {
	one, two := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, one)
		m, err2 := io.ReadFull(b, two)
		if !bytes.Equal(one[:n], two[:m]) {
			return false, nil
		}
		if err != nil || err2 != nil {
			ended := func(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
			return ended(err) && ended(err2), nil
		}
	}
}

// isWhiteout reports whether an entry of a layer marks something as deleted: a character device without a number.
func isWhiteout(info fs.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode()&fs.ModeCharDevice != 0 && sys.Rdev == 0
}

func isOpaque(path string) bool {
	value := make([]byte, 1)
	n, err := unix.Lgetxattr(path, "user.overlay.opaque", value)
	return err == nil && n == 1 && value[0] == 'y'
}

// lstat returns nil if there is nothing at path.
func lstat(root *os.Root, path string) (fs.FileInfo, error) {
	info, err := root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil //nolint:nilnil // nothing is there
	}
	return info, err
}

// stateOf identifies the state of a file in the folder, so that Apply notices a later change.
func stateOf(info fs.FileInfo) string {
	switch {
	case info == nil:
		return "none"
	case info.IsDir():
		return info.Mode().String() // what it contains is compared by itself, if the run changed it
	}
	return fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
}

// stateOfTree identifies the state of everything in a folder, and counts its files.
func stateOfTree(ctx context.Context, root *os.Root, path string) (state string, files int, err error) {
	sum := sha256.New()
	err = fs.WalkDir(root.FS(), filepath.ToSlash(path), func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !e.IsDir() {
			files++
		}
		fmt.Fprintf(sum, "%q %s\n", at, stateOf(info))
		return ctx.Err()
	})
	return hex.EncodeToString(sum.Sum(nil)), files, err
}
