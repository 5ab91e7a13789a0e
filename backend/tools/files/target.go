package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"sextant/backend/calls/nearest"
	"sextant/backend/guard/places"
	"sextant/backend/tools/room"
	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

// target is where a path leads.
type target struct {
	// real is absolute and clean, links followed as far as it exists.
	real string
	// shown is real for people and models: from the workspace folder when it lies in it.
	shown string
	// folder is the workspace folder when the target lies in it, its links followed, else "".
	folder string
	place  places.Place
	// self says that what lies at real itself is meant, a link too.
	self bool
}

// locate follows a path of a call and judges the place. It fails with a fault.
func (t *Tools) locate(path string) (target, error) {
	at, bad, err := t.cfg.Locate(path)
	if err != nil {
		return target{}, err
	}
	if bad != nil {
		return target{}, faultOf(bad)
	}
	a := target{real: at.Real, shown: at.Real, place: at.Place}
	if rel, err := filepath.Rel(at.Folder, at.Real); err == nil && filepath.IsLocal(rel) {
		a.folder, a.shown = at.Folder, filepath.ToSlash(rel)
	}
	return a, nil
}

// locateSelf is the target at a path that was real before: no link is followed, and where one
// stands in the way by now opening it fails. It fails with a fault.
func (t *Tools) locateSelf(path string) (target, error) {
	folder, err := places.Resolve(t.cfg.Folder())
	if err != nil {
		return target{}, fmt.Errorf("finding the workspace folder: %w", err)
	}
	a := target{real: filepath.Clean(path), shown: filepath.Clean(path), self: true}
	if a.place = t.cfg.Places.Named(a.real); a.place.Kind == places.Secret || !filepath.IsAbs(path) {
		return target{}, faultOf(room.Secret(path, a.place))
	}
	if rel, err := filepath.Rel(folder, a.real); err == nil && filepath.IsLocal(rel) {
		a.folder, a.shown = folder, filepath.ToSlash(rel)
	}
	return a, nil
}

// locateEntry is the target of a name in a folder: links to the folder are followed, and what lies
// there is meant itself, a link too. It fails with a fault.
func (t *Tools) locateEntry(path string) (target, error) {
	trimmed := strings.TrimRight(path, "/")
	dir, base := ".", trimmed
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		dir, base = trimmed[:i+1], trimmed[i+1:]
	}
	if base == "" || base == "." || base == ".." || base == "~" || strings.ContainsRune(base, 0) {
		return target{}, &fault{toolspec.ValidationError, fmt.Sprintf("%q names no file or folder", path), "Send the path of one, in the workspace or absolute."}
	}
	if len(base) > 255 {
		return target{}, &fault{toolspec.ValidationError, "the name " + clip.Bytes(base, 60) + " is longer than 255 bytes", "Send a shorter one."}
	}
	in, err := t.locate(dir)
	if err != nil {
		return target{}, err
	}
	a, err := t.locateSelf(filepath.Join(in.real, base))
	if err == nil && a.real == a.folder {
		return target{}, &fault{toolspec.UserError, path + " is the workspace folder itself", "Choose another folder in the settings instead."}
	}
	return a, err
}

// nowOther is what lies at a target that is no regular file.
func (t *Tools) nowOther(a target, info fs.FileInfo) (current, error) {
	switch {
	case info.Mode()&fs.ModeSymlink == 0:
		return current{exists: true, info: info}, nil
	}
	root, err := t.openDir(a, filepath.Dir(a.real))
	if err != nil {
		return current{}, err
	}
	defer func() { _ = root.Close() }()
	to, err := root.Readlink(filepath.Base(a.real))
	if err != nil {
		return current{}, t.cannot(a, err)
	}
	return current{true, []byte(to), info}, nil
}

// swapped is the fault of a path that leads elsewhere than it did when it was judged.
func swapped(what string) error {
	return &fault{
		toolspec.SecurityError, what + ": it leads to another place than the one that was judged, so nothing was done",
		"Look with file_info where it leads now, then call again.",
	}
}

// workspace is a handle of the workspace folder that stays open.
type workspace struct {
	mu   sync.Mutex
	path string
	root *os.Root
}

// open is a handle of dir, which lies at or below folder, through the kept one of folder. The
// caller closes it.
func (w *workspace) open(folder, dir string) (*os.Root, error) {
	rel, err := filepath.Rel(folder, dir)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.root != nil && (w.path != folder || !w.fresh()) {
		_ = w.root.Close()
		w.root = nil
	}
	if w.root == nil {
		if w.root, err = os.OpenRoot(folder); err != nil {
			return nil, err
		}
		w.path = folder
	}
	return w.root.OpenRoot(rel)
}

// fresh reports whether the handle's folder is still the one its path names: a folder can be
// removed and made again.
func (w *workspace) fresh() bool {
	held, err := w.root.Stat(".")
	if err != nil {
		return false
	}
	now, err := os.Stat(w.path)
	return err == nil && os.SameFile(held, now)
}

func (w *workspace) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.root == nil {
		return nil
	}
	err := w.root.Close()
	w.root = nil
	return err
}

// openDir is a handle of a target's folder dir (the target's own path or one above it) that
// was checked to be that place. The caller closes it.
func (t *Tools) openDir(a target, dir string) (*os.Root, error) {
	var root *os.Root
	var err error
	if a.folder != "" && room.Within(dir, a.folder) {
		root, err = t.folder.open(a.folder, dir)
	} else {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, t.cannot(a, err)
	}
	d, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return nil, t.cannot(a, err)
	}
	defer func() { _ = d.Close() }()
	if !leadsTo(d, dir) {
		_ = root.Close()
		return nil, swapped(a.shown)
	}
	return root, nil
}

// openFile opens a regular file for reading; anything else is a fault. The caller closes it.
func (t *Tools) openFile(a target) (*os.File, fs.FileInfo, error) {
	root, err := t.openDir(a, filepath.Dir(a.real))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	return t.openIn(root, a)
}

// openIn is openFile in a handle of the file's folder.
func (t *Tools) openIn(root *os.Root, a target) (*os.File, fs.FileInfo, error) {
	base := filepath.Base(a.real)
	before, err := root.Lstat(base)
	if err != nil {
		return nil, nil, t.cannot(a, err)
	}
	// Opening alone can wait on a pipe, or set a device in motion.
	if err := regular(a, before); err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(base, os.O_RDONLY|openCarefully, 0)
	if err != nil {
		return nil, nil, t.cannot(a, err)
	}
	now, err := f.Stat()
	if err == nil {
		err = regular(a, now)
	}
	if err == nil && (!os.SameFile(before, now) || !leadsTo(f, a.real)) {
		err = swapped(a.shown)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, now, nil
}

// regular is the fault of what is no regular file.
func regular(a target, info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fault{toolspec.UserError, a.shown + " is a folder", "Call list_directory with it, or send the path of a file in it."}
	case mode&fs.ModeSymlink != 0:
		return swapped(a.shown)
	}
	return &fault{toolspec.UserError, a.shown + " is " + kindOf(mode) + ", not a file", "Send the path of a regular file."}
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// cannot turns an error of the file system into what the caller can do about it.
func (t *Tools) cannot(a target, err error) error {
	var known *fault
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return &fault{toolspec.UserError, "there is no " + a.shown, t.near(a)}
	case errors.Is(err, fs.ErrPermission):
		return &fault{toolspec.PermissionError, "the system does not let " + a.shown + " be used: " + cause(err), "Use another file, or ask the person to change its permissions."}
	}
	return &fault{toolspec.SystemError, a.shown + ": " + cause(err), "Look with file_info what it is."}
}

// cause is an error of the file system without the path, which our own words name.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// maxNear bounds how many names are compared with one that is missing.
const maxNear = 2000

// near suggests names in the folder of a path that does not exist.
func (t *Tools) near(a target) string {
	dir := filepath.Dir(a.real)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "Its folder does not exist either. Call find_files to look for it."
	}
	defer func() { _ = root.Close() }()
	d, err := root.Open(".")
	if err != nil {
		return "Call find_files to look for it."
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(maxNear) // as far as they can be read
	if like := nearest.Names(filepath.Base(a.real), names, 3); len(like) > 0 {
		return "Nearest in that folder: " + strings.Join(like, ", ") + "."
	}
	return "Call find_files to look for it, or list_directory."
}
