package shell

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"sextant/shared/toolspec"
)

// Bounds of the look for what runs later: folders, folders within folders, bytes of one file.
const (
	maxLooked  = 500
	maxBelow   = 4
	maxCompare = 1 << 20
)

// later are the files below a folder that other programs run by themselves, outside of the
// sandbox and after the call: hooks of git, what direnv and editors start. The path leads to
// what tells whether it is the same.
func later(workspace string) map[string]string {
	type place struct {
		path  string
		below int
	}
	all := map[string]string{}
	places := []place{{path: workspace}}
	for looked := 0; len(places) > 0 && looked < maxLooked; looked++ {
		at := places[0]
		places = places[1:]
		entries, err := os.ReadDir(at.path)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(at.path, e.Name())
			switch {
			case e.Name() == ".envrc":
				mark(all, path)
			case e.Name() == ".vscode":
				mark(all, filepath.Join(path, "tasks.json"))
			case e.Name() == ".git":
				hooks, _ := os.ReadDir(filepath.Join(path, "hooks")) // none is none
				for _, h := range hooks {
					if !strings.HasSuffix(h.Name(), ".sample") {
						mark(all, filepath.Join(path, "hooks", h.Name()))
					}
				}
			case e.IsDir() && at.below < maxBelow && e.Name() != "node_modules":
				places = append(places, place{path, at.below + 1})
			}
		}
	}
	return all
}

// mark notes what a path leads to, when there is something.
func mark(all map[string]string, path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	all[path] = info.Mode().String()
	if to, err := os.Readlink(path); err == nil {
		all[path] += " to " + to
	}
	// What was a file may be a pipe by now: opening must not wait for somebody to write.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	sum := sha256.New()
	if n, err := io.Copy(sum, io.LimitReader(f, maxCompare)); err == nil {
		all[path] += fmt.Sprintf(" %d %x", n, sum.Sum(nil))
	}
}

// made are the paths of after that were not there before, or not like that, below workspace.
func made(before, after map[string]string, workspace string) []string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if before[path] != after[path] {
			rel, err := filepath.Rel(workspace, path)
			if err != nil {
				rel = path
			}
			all = append(all, rel)
		}
	}
	return all
}

// tellMade says in an answer what the command made that runs later.
func tellMade(r *toolspec.Result, paths []string) {
	if len(paths) == 0 {
		return
	}
	names := few(paths, 5)
	if value, ok := r.Value.(map[string]any); ok {
		value["runs_later"] = paths
	}
	r.Sentence += "; it made or changed " + names + ", which other programs run"
	r.Text = strings.TrimPrefix(r.Text+"\nIt made or changed "+names+", which other programs run later, outside of the sandbox. Tell the person.", "\n")
}

// kept says that the workspace cannot be written, and what to do.
const kept = "The workspace folder is the home folder or holds start-up files of it, so that commands can change nothing in it. A folder below it as the workspace can be changed."
