// Package safefs resolves the paths of calls, opens files safely and walks folders.
//
// A path is resolved to a Target. When its file or folder is opened, safefs checks that it is at the resolved path, so
// that a link swapped in meanwhile is refused. It opens only folders and regular files.
//
// Package policy decides about permissions; safefs itself refuses places that no tool may touch. Errors that the caller
// can correct are *toolkit.CallError; Lstat also returns fs.ErrNotExist.
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

// Config configures an FS.
type Config struct {
	toolkit.Paths
	// ForbiddenPaths returns the absolute paths that the person's rules deny to a tool. Walks skip them.
	ForbiddenPaths func(ctx context.Context, tool string) ([]string, error)
}

// FS opens files for tools. It is safe for concurrent use.
type FS struct {
	cfg       Config
	workspace workspaceHandle
}

// New returns an FS.
func New(cfg Config) *FS { return &FS{cfg: cfg} }

// Close closes the handle of the workspace folder.
func (f *FS) Close() error { return f.workspace.close() }

// Target is the place that a path leads to.
type Target struct {
	// Real is an absolute, clean path.
	Real string
	// DisplayPath is Real as people and models see it: relative to the workspace folder if it is inside.
	DisplayPath string
	// Workspace is the workspace folder with links followed, or "" for a target outside it.
	Workspace string
	Place     protectedpaths.Classification
	// NoFollow makes the target the entry at Real, even if that is a link.
	NoFollow bool
}

// Locate resolves a path of a call, following links. toolkit.Paths.Resolve says which paths it refuses.
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
	t.Real, t.DisplayPath = real, real
	if rel, err := filepath.Rel(workspace, real); err == nil && filepath.IsLocal(rel) {
		t.Workspace, t.DisplayPath = workspace, filepath.ToSlash(rel)
	}
}

// LocateReal returns the target at an absolute path that was resolved earlier. It follows no links, and it refuses
// places that no tool may touch.
func (f *FS) LocateReal(path string) (Target, error) {
	workspace, err := protectedpaths.Resolve(f.cfg.Folder())
	if err != nil {
		return Target{}, fmt.Errorf("finding the workspace folder: %w", err)
	}
	t := Target{NoFollow: true}
	t.set(filepath.Clean(path), workspace)
	if t.Place = f.cfg.Places.ClassifyByName(t.Real); t.Place.Kind == protectedpaths.KindSecret ||
		!filepath.IsAbs(path) {
		return Target{}, toolkit.ErrorOf(toolkit.RefuseSecret(path, t.Place))
	}
	return t, nil
}

// LocateEntry returns the target of a folder entry. It follows links in the folder's path, but not the entry if that is
// a link.
func (f *FS) LocateEntry(path string) (Target, error) {
	trimmed := strings.TrimRight(path, "/")
	dir, base := ".", trimmed
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		dir, base = trimmed[:i+1], trimmed[i+1:]
	}
	if base == "" || base == "." || base == ".." || base == "~" || strings.ContainsRune(base, 0) {
		return Target{}, toolkit.ValidationError(fmt.Sprintf("%q does not name a file or folder", path),
			"Send the path of one, in the workspace or absolute.")
	}
	if len(base) > 255 {
		return Target{}, toolkit.ValidationError("the name "+excerpt.TruncateBytes(base,
			60)+" is longer than 255 bytes",
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

// RedirectError returns the error for a path that no longer leads to the place it was resolved to.
func RedirectError(what string) error {
	return &toolkit.CallError{
		Type: toolspec.SecurityError, Message: what +
			" now leads to another place than the one that was checked; nothing was done",
		Suggestion: "Check with file_info where it leads now, then call again.",
	}
}

type workspaceHandle struct {
	mu   sync.Mutex
	path string
	root *os.Root
}

// open returns a handle of dir, which is folder or is below it. The caller closes the handle.
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

// current is false if the folder was removed and created again.
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

// OpenDir returns a handle of dir, which is the path of t or a folder above it. It fails if a link was swapped into the
// path. The caller closes the handle.
func (f *FS) OpenDir(t Target, dir string) (*os.Root, error) {
	var root *os.Root
	var err error
	if t.Workspace != "" && toolkit.IsWithin(dir, t.Workspace) {
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
		return nil, RedirectError(t.DisplayPath)
	}
	return root, nil
}

// OpenParent returns a handle of the folder that contains t. The caller closes the handle.
func (f *FS) OpenParent(t Target) (*os.Root, error) { return f.OpenDir(t, filepath.Dir(t.Real)) }

// OpenFile opens a regular file for reading and fails for anything else. The caller closes the file.
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
	// Merely opening a pipe can block, and opening a device can start it.
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
		err = RedirectError(t.DisplayPath)
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, now, nil
}

func isNowAt(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	real, linkErr := filepath.EvalSymlinks(path)
	return err == nil && linkErr == nil && real == path && os.SameFile(held, now)
}

// Lstat describes the entry at t. If there is none, the error wraps fs.ErrNotExist.
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

func regular(t Target, info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return toolkit.UserError(t.DisplayPath+" is a folder",
			"Call list_directory with it, or send the path of a file in it.")
	case mode&fs.ModeSymlink != 0:
		return RedirectError(t.DisplayPath)
	}
	return toolkit.UserError(t.DisplayPath+" is "+Kind(mode)+", not a file", "Send the path of a regular file.")
}

// Kind returns the name of a file type: "file", "folder", "link", "a pipe", "a socket" or "a device".
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

// IsSpecial reports whether mode is that of something other than a regular file, a folder or a link.
func IsSpecial(mode fs.FileMode) bool { return mode.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 }

// Explain returns a *toolkit.CallError for a file system error about t. An err that already wraps one is returned as
// is.
func (f *FS) Explain(t Target, err error) error {
	var known *toolkit.CallError
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return toolkit.UserError("there is no "+t.DisplayPath, f.SuggestNearest(t))
	case errors.Is(err, fs.ErrPermission):
		return &toolkit.CallError{
			Type: toolspec.PermissionError, Message: "the system denies access to " + t.DisplayPath + ": " + cause(err),
			Suggestion: "Use another file, or ask the person to change its permissions.",
		}
	}
	return &toolkit.CallError{
		Type: toolspec.SystemError, Message: t.DisplayPath + ": " + cause(err),
		Suggestion: "Check with file_info what it is.",
	}
}

func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

const maxCompared = 2000

// SuggestNearest returns a suggestion for a missing target, with similar names in its folder if there are any.
func (f *FS) SuggestNearest(t Target) string {
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
	names, _ := d.Readdirnames(maxCompared) // after an error, the names read so far are enough
	if like := nearest.Names(filepath.Base(t.Real), names, 3); len(like) > 0 {
		return "Nearest in that folder: " + strings.Join(like, ", ") + "."
	}
	return "Call find_files to look for it, or list_directory."
}
