// Package overlay reads and applies what a run changed in a folder that it saw through an overlay file system. The
// folder itself is unchanged until Apply.
//
// A Layer is the upper layer of the overlay: it contains each changed file in full, and marks for what was deleted. The
// run is untrusted, so Apply never leaves the folder, whatever the layer contains.
package overlay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Layer stores the changes of one run. It is not safe for concurrent use.
type Layer struct {
	base   string
	remove func()
	// changes are set by Read.
	changes []tracked
}

// tracked is a change with the state of its path in the folder when Read saw it. before is "" if another change checks
// it: the deletion at the same path, or what a folder around it was.
type tracked struct {
	Change
	before string
}

// Kind is what happened to a file.
type Kind string

// The kinds of changes.
const (
	Created Kind = "created"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
)

// Change is a change of one file, folder or symbolic link.
type Change struct {
	// Path is relative to the folder.
	Path   string
	Kind   Kind
	Folder bool
	// Files is how many files a deleted folder contains.
	Files int
	// Detail says what the contents of the file do not show: "link to x", "mode -rw-r--r-- to -rwxr-xr-x". It contains
	// text of the run.
	Detail string
}

// New creates an empty layer in the folder base, which remove deletes.
func New(base string, remove func()) (*Layer, error) {
	l := &Layer{base: base, remove: remove}
	for _, dir := range []string{l.Upper(), l.Work()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, fmt.Errorf("creating a layer: %w", err)
		}
	}
	return l, nil
}

// Remove deletes the layer.
func (l *Layer) Remove() { l.remove() }

// Upper returns the folder for the changes.
func (l *Layer) Upper() string { return filepath.Join(l.base, "upper") }

// Work returns the folder that the kernel needs next to Upper.
func (l *Layer) Work() string { return filepath.Join(l.base, "work") }

// Contents returns the contents of a file in folder and of the same file after the change, nil if there is none. It
// fails for anything but files, and for files larger than most bytes.
func (l *Layer) Contents(folder string, c Change, most int64) (before, after []byte, err error) {
	if c.Kind != Created {
		if before, err = readFile(folder, c.Path, most); err != nil {
			return nil, nil, err
		}
	}
	if c.Kind != Deleted {
		after, err = readFile(l.Upper(), c.Path, most)
	}
	return before, after, err
}

// ErrTooLarge means that a file is larger than the caller of Contents wants.
var ErrTooLarge = errors.New("the file is too large")

func readFile(folder, path string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	defer root.Close()
	info, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	if info.Size() > most {
		return nil, ErrTooLarge
	}
	return root.ReadFile(path)
}
