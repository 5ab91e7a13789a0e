package pilot

import (
	"os"
	"path"
	"slices"
	"strings"
)

const (
	maxEntriesRead  = 2_000
	maxPathsOffered = 20
)

// PathCompleter returns a function for grammar.WindowState.Paths that lists the paths below folder with a given prefix.
// It must not be called concurrently.
func PathCompleter(folder string) func(prefix string) []string {
	var last string
	var found []string
	cached := false
	return func(prefix string) []string {
		if !cached || prefix != last {
			last, found, cached = prefix, completePath(folder, prefix), true
		}
		return found
	}
}

// completePath lists the paths below folder that begin with prefix. It follows no link out of folder, and lists
// hidden names only after a dot was typed.
func completePath(folder, prefix string) []string {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	dir, name := path.Split(prefix)
	if path.IsAbs(prefix) || strings.HasPrefix(prefix, "~") {
		return nil
	}
	dirName := path.Clean("./" + dir)
	if info, err := root.Stat(dirName); err != nil || !info.IsDir() {
		return nil // opening a named pipe would wait for its writer
	}
	f, err := root.Open(dirName)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(maxEntriesRead) // after an error, the entries read so far are offered
	var found []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), name) || name == "" && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if e.IsDir() {
			found = append(found, dir+e.Name()+"/")
		} else {
			found = append(found, dir+e.Name())
		}
	}
	slices.Sort(found)
	return found[:min(maxPathsOffered, len(found))]
}
