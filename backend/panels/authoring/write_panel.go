package authoring

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func sorted(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }

// writePanel writes contents into the folder dir/id, completely or not at all. It replaces an existing folder, but
// keeps those of its other entries for which keep returns true.
func writePanel(dir, id string, contents content, keep func(name string) bool) error {
	made, err := os.MkdirTemp(dir, ".making-")
	if err != nil {
		return fmt.Errorf("making panel folder: %w", err)
	}
	defer os.RemoveAll(made)
	folder := filepath.Join(dir, id)
	if err := copyOther(made, folder, keep); err != nil {
		return fmt.Errorf("copying the panel's other files: %w", err)
	}
	for name, text := range contents.files {
		path := filepath.Join(made, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("writing panel: %w", err)
		}
		// A file that was kept may be read-only; replace it instead of opening it.
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("writing panel: %w", err)
		}
		mode := os.FileMode(0o600)
		if slices.Contains(contents.executables, name) {
			mode = 0o700
		}
		if err := os.WriteFile(path, text, mode); err != nil {
			return fmt.Errorf("writing panel: %w", err)
		}
	}
	return swap(made, folder)
}

func copyOther(made, folder string, keep func(name string) bool) error {
	entries, err := os.ReadDir(folder)
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range entries {
		if !keep(e.Name()) {
			continue
		}
		from, to := filepath.Join(folder, e.Name()), filepath.Join(made, e.Name())
		if e.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else {
			err = copyEntry(from, to)
		}
		if err != nil {
			return err
		}
	}
	return err
}

func copyEntry(from, to string) error {
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case !info.Mode().IsRegular():
		return nil // skip a pipe or socket of a running program
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

func keepAll(string) bool { return true }

// keepHidden reports whether name begins with a dot, such as .git, and is not the assistant's marker.
func keepHidden(name string) bool { return strings.HasPrefix(name, ".") && name != marker }

// swap replaces folder by the folder made and removes the old one. If the file system cannot exchange them, there is no
// folder for a moment.
func swap(made, folder string) error {
	if _, err := os.Lstat(folder); os.IsNotExist(err) {
		if err := os.Rename(made, folder); err != nil {
			return fmt.Errorf("writing panel: %w", err)
		}
		return nil
	}
	if exchange(made, folder) == nil {
		return os.RemoveAll(made)
	}
	old := made + ".old"
	if err := os.Rename(folder, old); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("replacing panel: %w", err)
	}
	if err := os.Rename(made, folder); err != nil {
		// Restore the old folder. If that fails, nothing else can be done.
		_ = os.Rename(old, folder)
		return fmt.Errorf("writing panel: %w", err)
	}
	return os.RemoveAll(old)
}
