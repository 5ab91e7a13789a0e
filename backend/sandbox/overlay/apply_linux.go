package overlay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ChangedSinceError means that something of the folder changed after Read, so nothing was applied.
type ChangedSinceError struct{ Path string }

func (e *ChangedSinceError) Error() string { return e.Path + " has changed in the meantime" }

// Apply makes the changes that Read returned in folder. If something that they touch has changed since, it returns a
// *ChangedSinceError and applies nothing. Any other error may come after a part of the changes was made.
func (l *Layer) Apply(ctx context.Context, folder string) error {
	lower, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("opening the folder: %w", err)
	}
	defer lower.Close()
	upper, err := os.OpenRoot(l.Upper())
	if err != nil {
		return fmt.Errorf("opening a layer: %w", err)
	}
	defer upper.Close()
	for _, c := range l.changes {
		if c.before == "" {
			continue
		}
		info, err := lstat(lower, c.Path)
		if err != nil {
			return fmt.Errorf("reading the folder: %w", err)
		}
		state := stateOf(info)
		if c.Kind == Deleted && c.Folder && info != nil {
			if state, _, err = stateOfTree(ctx, lower, c.Path); err != nil {
				return fmt.Errorf("reading the folder: %w", err)
			}
		}
		if state != c.before {
			return &ChangedSinceError{c.Path}
		}
	}
	for _, c := range l.changes {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("changing %s: %w", c.Path, err)
		}
		if err := applyChange(lower, upper, c.Change); err != nil {
			return fmt.Errorf("changing %s: %w", c.Path, err)
		}
	}
	// A folder may be closed to changes only when its files are in it.
	for _, c := range slices.Backward(l.changes) {
		if info, err := upper.Lstat(c.Path); err == nil && info.IsDir() {
			if err := lower.Chmod(c.Path, info.Mode().Perm()); err != nil {
				return fmt.Errorf("changing %s: %w", c.Path, err)
			}
		}
	}
	return nil
}

func applyChange(lower, upper *os.Root, c Change) error {
	if c.Kind == Deleted {
		return lower.RemoveAll(c.Path)
	}
	info, err := upper.Lstat(c.Path)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		if c.Kind == Changed {
			return lower.Chmod(c.Path, info.Mode().Perm()|0o700)
		}
		return lower.Mkdir(c.Path, 0o700)
	case info.Mode().Type() == fs.ModeSymlink:
		return applyLink(lower, upper, c.Path)
	}
	return applyFile(lower, upper, c.Path, info)
}

func applyLink(lower, upper *os.Root, path string) error {
	to, err := upper.Readlink(path)
	if err != nil {
		return err
	}
	if err := lower.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return lower.Symlink(to, path)
}

// applyFile replaces a file at once, so that nobody sees a part of it.
func applyFile(lower, upper *os.Root, path string, info fs.FileInfo) error {
	from, err := upper.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	temp := filepath.Join(filepath.Dir(path), ".sextant-"+strings.ToLower(rand.Text()))
	to, err := lower.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	err = errors.Join(err, to.Close())
	if err == nil {
		err = errors.Join(lower.Chmod(temp, info.Mode().Perm()),
			lower.Chtimes(temp, info.ModTime(), info.ModTime()))
	}
	if err == nil {
		err = lower.Rename(temp, path)
	}
	if err != nil {
		_ = lower.Remove(temp)
	}
	return err
}
