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

// MaxBytes is how much changed content Read accepts, maxChanges how many changes.
const (
	MaxBytes   = 256 << 20
	maxChanges = 2_000
)

// ErrUnsupported means that the run changed more than a person can judge, or something that Apply does not copy: a
// pipe, a socket, a file that runs as its owner.
var ErrUnsupported = fmt.Errorf("it changed more than %d files or %d MB, or something that cannot be copied",
	maxChanges, MaxBytes>>20)

// Read returns what the run changed in folder, in the order of the paths. A file that was only opened is no change, and
// changes in folders of a name that ignored accepts are left out; Apply does not make them. The run must have ended.
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
	l.changes = nil
	r := reader{ctx: ctx, layer: l, lower: lower, upper: upper, ignored: ignored}
	if err := r.readFolder(".", merged); err != nil {
		return nil, err
	}
	slices.SortStableFunc(l.changes, func(a, b tracked) int { return strings.Compare(a.Path, b.Path) })
	all := make([]Change, len(l.changes))
	for i, c := range l.changes {
		all[i] = c.Change
	}
	return all, nil
}

type reader struct {
	ctx          context.Context
	layer        *Layer
	lower, upper *os.Root
	ignored      func(name string) bool
	bytes        int64
}

// view says what the run saw of the folder at a path of the layer.
type view int

const (
	merged view = iota // the files of the folder and of the layer
	hidden             // only those of the layer, so the others are deleted
	alone              // only those of the layer, and the folder has no folder there
)

func (r *reader) readFolder(path string, seen view) error {
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
		if err := r.readEntry(filepath.Join(path, e.Name()), info, seen); err != nil {
			return err
		}
	}
	if seen != hidden {
		return nil
	}
	old, err := fs.ReadDir(r.lower.FS(), filepath.ToSlash(path))
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
		if err := r.addDeleted(filepath.Join(path, e.Name()), was); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readEntry(path string, info fs.FileInfo, seen view) error {
	var was fs.FileInfo
	if seen != alone {
		var err error
		if was, err = lstat(r.lower, path); err != nil {
			return fmt.Errorf("reading the folder: %w", err)
		}
	}
	mode := info.Mode()
	switch {
	case isWhiteout(info):
		if was == nil {
			return nil // the run created and deleted it
		}
		return r.addDeleted(path, was)
	case mode.IsDir() && r.ignored(info.Name()):
		return nil
	case mode.Type() != 0 && mode.Type() != fs.ModeSymlink && !mode.IsDir(), mode&special != 0:
		return ErrUnsupported
	case mode.IsRegular():
		if r.bytes += info.Size(); r.bytes > MaxBytes {
			return ErrUnsupported
		}
	}
	if was != nil && mode.Type() != was.Mode().Type() {
		if err := r.addDeleted(path, was); err != nil {
			return err
		}
		r.layer.changes = append(r.layer.changes, tracked{Change: r.created(path, info)})
		if mode.IsDir() {
			return r.readFolder(path, alone)
		}
		return nil
	}
	if mode.IsDir() {
		return r.readSubfolder(path, info, was, seen)
	}
	if was == nil {
		return r.addCreated(path, info, seen)
	}
	return r.compare(path, info, was)
}

// special are the bits of a mode that Apply does not copy.
const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func (r *reader) readSubfolder(path string, info, was fs.FileInfo, seen view) error {
	if was == nil {
		if err := r.addCreated(path, info, seen); err != nil {
			return err
		}
		return r.readFolder(path, alone)
	}
	if info.Mode() != was.Mode() {
		c := Change{Path: path, Kind: Changed, Folder: true, Detail: modes(was, info)}
		if err := r.add(c, was); err != nil {
			return err
		}
	}
	if isOpaque(filepath.Join(r.layer.Upper(), path)) {
		seen = hidden
	}
	return r.readFolder(path, seen)
}

// compare adds the change of a file or symbolic link, if there is one.
func (r *reader) compare(path string, info, was fs.FileInfo) error {
	c := Change{Path: path, Kind: Changed}
	same, err := r.isSame(path, info, was)
	switch {
	case err != nil:
		return err
	case info.Mode() != was.Mode():
		c.Detail = modes(was, info)
	case info.Mode().Type() == fs.ModeSymlink && !same:
		c.Detail = r.linkTo(path)
	case same && (info.Mode().Type() == fs.ModeSymlink || info.ModTime().Equal(was.ModTime())):
		return nil
	case same:
		c.Detail = "only its time"
	}
	return r.add(c, was)
}

func modes(was, is fs.FileInfo) string { return fmt.Sprintf("mode %s to %s", was.Mode(), is.Mode()) }

func (r *reader) created(path string, info fs.FileInfo) Change {
	c := Change{Path: path, Kind: Created, Folder: info.IsDir()}
	if info.Mode().Type() == fs.ModeSymlink {
		c.Detail = r.linkTo(path)
	}
	return c
}

func (r *reader) addCreated(path string, info fs.FileInfo, seen view) error {
	c := tracked{r.created(path, info), stateOf(nil)}
	if seen == alone {
		c.before = "" // what replaces or creates the folder has the state
	}
	return r.addTracked(c)
}

func (r *reader) linkTo(path string) string {
	to, err := r.upper.Readlink(path)
	if err != nil {
		return "a link"
	}
	return "link to " + to
}

func (r *reader) addDeleted(path string, was fs.FileInfo) error {
	c := Change{Path: path, Kind: Deleted, Folder: was.IsDir()}
	if !c.Folder {
		return r.add(c, was)
	}
	state, files, err := stateOfTree(r.ctx, r.lower, path)
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	c.Files = files
	return r.addTracked(tracked{c, state})
}

func (r *reader) add(c Change, was fs.FileInfo) error { return r.addTracked(tracked{c, stateOf(was)}) }

func (r *reader) addTracked(c tracked) error {
	if len(r.layer.changes) >= maxChanges {
		return ErrUnsupported
	}
	r.layer.changes = append(r.layer.changes, c)
	return nil
}

// isSame compares a file or symbolic link of the layer with the one of the folder.
func (r *reader) isSame(path string, info, was fs.FileInfo) (bool, error) {
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
		return info.Mode().String() // what it contains is compared separately, if the run changed it
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
