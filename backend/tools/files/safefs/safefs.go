// Package safefs resolves the paths of calls, opens what lies there, and walks folders.
//
// A path is followed to the real place it leads to and that place is classified. The file is then
// opened through a handle of its folder, which is checked to be that place, so that a link swapped
// in between is refused instead of followed. Only regular files are opened; nothing blocks on a pipe
// or a device.
//
// The package decides nothing about permissions. Only places that no tool may touch are refused
// here. Errors that the caller can act on are *toolkit.CallError.
package safefs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"sextant/backend/pipeline/nearest"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// Config is what an FS needs.
type Config struct {
	toolkit.Paths
	// Forbidden returns the absolute paths that the person's rules keep from a tool; a walk skips
	// them.
	Forbidden func(ctx context.Context, tool string) ([]string, error)
}

// FS opens files for tools. Safe for concurrent use.
type FS struct {
	cfg       Config
	workspace workspaceHandle
}

// New returns an FS. Nothing is opened before it is used.
func New(cfg Config) *FS { return &FS{cfg: cfg} }

// Close closes the handle of the workspace folder.
func (f *FS) Close() error { return f.workspace.close() }

// Target is the place that a path leads to.
type Target struct {
	// Real is absolute and clean, with links followed as far as it exists.
	Real string
	// Shown is Real for people and models: relative to the workspace folder when it lies in it.
	Shown string
	// Workspace is the workspace folder with its links followed, "" for a target outside of it.
	Workspace string
	Place     protectedpaths.Place
	// NoFollow means what lies at Real itself, even a link.
	NoFollow bool
}

// Locate resolves a path of a call.
func (f *FS) Locate(path string) (Target, error) {
	found, failed, err := f.cfg.Resolve(path)
	if err != nil {
		return Target{}, err
	}
	if failed != nil {
		return Target{}, toolkit.ErrorOf(failed)
	}
	t := Target{Place: found.Place}
	t.set(found.Real, found.Folder)
	return t, nil
}

func (t *Target) set(real, workspace string) {
	t.Real, t.Shown = real, real
	if rel, err := filepath.Rel(workspace, real); err == nil && filepath.IsLocal(rel) {
		t.Workspace, t.Shown = workspace, filepath.ToSlash(rel)
	}
}

// LocateReal returns the target at a path that was real earlier. No link is followed; if there is
// one in the path by now, opening the target fails.
func (f *FS) LocateReal(path string) (Target, error) {
	workspace, err := protectedpaths.Resolve(f.cfg.Folder())
	if err != nil {
		return Target{}, fmt.Errorf("finding the workspace folder: %w", err)
	}
	t := Target{NoFollow: true}
	t.set(filepath.Clean(path), workspace)
	if t.Place = f.cfg.Places.ClassifyByName(t.Real); t.Place.Kind == protectedpaths.Secret || !filepath.IsAbs(path) {
		return Target{}, toolkit.ErrorOf(toolkit.RefuseSecret(path, t.Place))
	}
	return t, nil
}

// LocateEntry returns the target of a name in a folder. Links in the folder's path are followed; the
// entry itself is not.
func (f *FS) LocateEntry(path string) (Target, error) {
	trimmed := strings.TrimRight(path, "/")
	dir, base := ".", trimmed
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		dir, base = trimmed[:i+1], trimmed[i+1:]
	}
	if base == "" || base == "." || base == ".." || base == "~" || strings.ContainsRune(base, 0) {
		return Target{}, toolkit.Invalid(fmt.Sprintf("%q does not name a file or folder", path),
			"Send the path of one, in the workspace or absolute.")
	}
	if len(base) > 255 {
		return Target{}, toolkit.Invalid("the name "+excerpt.Bytes(base, 60)+" is longer than 255 bytes",
			"Send a shorter one.")
	}
	in, err := f.Locate(dir)
	if err != nil {
		return Target{}, err
	}
	t, err := f.LocateReal(filepath.Join(in.Real, base))
	if err == nil && t.Real == t.Workspace {
		return Target{}, toolkit.UserError(path+" is the workspace folder itself",
			"Choose another folder in the settings instead.")
	}
	return t, err
}

// Redirected is the error of a path that leads to another place than when it was resolved.
func Redirected(what string) error {
	return &toolkit.CallError{
		Type: toolspec.SecurityError, Message: what +
			" now leads to another place than the one that was checked; nothing was done",
		Suggestion: "Check with file_info where it leads now, then call again.",
	}
}

// workspaceHandle is an open handle of the workspace folder.
type workspaceHandle struct {
	mu   sync.Mutex
	path string
	root *os.Root
}

// open returns a handle of dir, which is folder or lies below it. The caller closes it.
func (w *workspaceHandle) open(folder, dir string) (*os.Root, error) {
	rel, err := filepath.Rel(folder, dir)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.root != nil && (w.path != folder || !w.current()) {
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

// current reports whether the folder is still the one at its path; it may have been made again.
func (w *workspaceHandle) current() bool {
	held, err := w.root.Stat(".")
	if err != nil {
		return false
	}
	now, err := os.Stat(w.path)
	return err == nil && os.SameFile(held, now)
}

func (w *workspaceHandle) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.root == nil {
		return nil
	}
	err := w.root.Close()
	w.root = nil
	return err
}

// OpenDir returns a handle of dir, which is the path of t or a folder above it, after checking that
// it is that place. The caller closes it.
func (f *FS) OpenDir(t Target, dir string) (*os.Root, error) {
	var root *os.Root
	var err error
	if t.Workspace != "" && toolkit.Within(dir, t.Workspace) {
		root, err = f.workspace.open(t.Workspace, dir)
	} else {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, f.Explain(t, err)
	}
	d, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return nil, f.Explain(t, err)
	}
	defer func() { _ = d.Close() }()
	if !isAt(d, dir) {
		_ = root.Close()
		return nil, Redirected(t.Shown)
	}
	return root, nil
}

// OpenParent returns a handle of the folder that t lies in. The caller closes it.
func (f *FS) OpenParent(t Target) (*os.Root, error) { return f.OpenDir(t, filepath.Dir(t.Real)) }

// OpenFile opens a regular file for reading; anything else is an error. The caller closes it.
func (f *FS) OpenFile(t Target) (*os.File, fs.FileInfo, error) {
	root, err := f.OpenParent(t)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	base := filepath.Base(t.Real)
	before, err := root.Lstat(base)
	if err != nil {
		return nil, nil, f.Explain(t, err)
	}
	// Opening alone can block on a pipe, or start a device.
	if err := regular(t, before); err != nil {
		return nil, nil, err
	}
	file, err := root.OpenFile(base, os.O_RDONLY|OpenFlags, 0)
	if err != nil {
		return nil, nil, f.Explain(t, err)
	}
	now, err := file.Stat()
	if err == nil {
		err = regular(t, now)
	}
	if err == nil && (!os.SameFile(before, now) || !isAt(file, t.Real)) {
		err = Redirected(t.Shown)
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, now, nil
}

// isNowAt reports whether path, without following a link, is the open file f at this moment.
func isNowAt(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	real, linkErr := filepath.EvalSymlinks(path)
	return err == nil && linkErr == nil && real == path && os.SameFile(held, now)
}

// Lstat describes what lies at t. The error wraps fs.ErrNotExist when nothing does.
func (f *FS) Lstat(t Target) (fs.FileInfo, error) {
	root, err := f.OpenParent(t)
	if err != nil {
		// The folder of a missing path may be missing too, or be a file.
		info, statErr := os.Lstat(filepath.Dir(t.Real))
		if errors.Is(statErr, fs.ErrNotExist) || errors.Is(statErr, syscall.ENOTDIR) || statErr == nil &&
			!info.IsDir() {
			return nil, fs.ErrNotExist
		}
		return nil, err
	}
	defer func() { _ = root.Close() }()
	base := filepath.Base(t.Real)
	if base == string(filepath.Separator) {
		base = "."
	}
	info, err := root.Lstat(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, f.Explain(t, err)
	}
	return info, err
}

// regular returns an error for anything but a regular file.
func regular(t Target, info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return toolkit.UserError(t.Shown+" is a folder",
			"Call list_directory with it, or send the path of a file in it.")
	case mode&fs.ModeSymlink != 0:
		return Redirected(t.Shown)
	}
	return toolkit.UserError(t.Shown+" is "+Kind(mode)+", not a file", "Send the path of a regular file.")
}

// Kind names a file type: "file", "folder", "link", "a pipe", "a socket" or "a device".
func Kind(mode fs.FileMode) string {
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

// Special reports whether a mode is that of a pipe, a socket or a device, which have no content of
// their own.
func Special(mode fs.FileMode) bool { return mode.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 }

// Explain turns an error of the file system into one that says what the caller can do.
func (f *FS) Explain(t Target, err error) error {
	var known *toolkit.CallError
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return toolkit.UserError("there is no "+t.Shown, f.Nearest(t))
	case errors.Is(err, fs.ErrPermission):
		return &toolkit.CallError{
			Type: toolspec.PermissionError, Message: "the system denies access to " + t.Shown + ": " + cause(err),
			Suggestion: "Use another file, or ask the person to change its permissions.",
		}
	}
	return &toolkit.CallError{
		Type: toolspec.SystemError, Message: t.Shown + ": " + cause(err),
		Suggestion: "Check with file_info what it is.",
	}
}

// cause is an error of the file system without the path, which the message names already.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// maxCompared bounds how many names are compared with a missing one.
const maxCompared = 2000

// Nearest suggests names in the folder of a target that does not exist.
func (f *FS) Nearest(t Target) string {
	root, err := os.OpenRoot(filepath.Dir(t.Real))
	if err != nil {
		return "Its folder does not exist either. Call find_files to look for it."
	}
	defer func() { _ = root.Close() }()
	d, err := root.Open(".")
	if err != nil {
		return "Call find_files to look for it."
	}
	defer func() { _ = d.Close() }()
	names, _ := d.Readdirnames(maxCompared) // as far as they can be read
	if like := nearest.Names(filepath.Base(t.Real), names, 3); len(like) > 0 {
		return "Nearest in that folder: " + strings.Join(like, ", ") + "."
	}
	return "Call find_files to look for it, or list_directory."
}
