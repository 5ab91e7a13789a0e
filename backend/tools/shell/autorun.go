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

const (
	maxScanned = 500
	maxDepth   = 4
	maxHashed  = 1 << 20
)

// Other programs run these files later, outside the sandbox.
func autorunFiles(workspace string) map[string]string {
	type folder struct {
		path  string
		depth int
	}
	all := map[string]string{}
	queue := []folder{{path: workspace}}
	for scanned := 0; len(queue) > 0 && scanned < maxScanned; scanned++ {
		at := queue[0]
		queue = queue[1:]
		entries, err := os.ReadDir(at.path)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(at.path, e.Name())
			switch {
			case e.Name() == ".envrc":
				addFingerprint(all, path)
			case e.Name() == ".vscode":
				addFingerprint(all, filepath.Join(path, "tasks.json"))
			case e.Name() == ".git":
				hooks, _ := os.ReadDir(filepath.Join(path, "hooks")) // after an error, there are no hooks
				for _, h := range hooks {
					if !strings.HasSuffix(h.Name(), ".sample") {
						addFingerprint(all, filepath.Join(path, "hooks", h.Name()))
					}
				}
			case e.IsDir() && at.depth < maxDepth && e.Name() != "node_modules":
				queue = append(queue, folder{path, at.depth + 1})
			}
		}
	}
	return all
}

func addFingerprint(all map[string]string, path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	all[path] = info.Mode().String()
	if to, err := os.Readlink(path); err == nil {
		all[path] += " to " + to
	}
	// The file may have become a pipe; opening must not block on it.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	sum := sha256.New()
	if n, err := io.Copy(sum, io.LimitReader(f, maxHashed)); err == nil {
		all[path] += fmt.Sprintf(" %d %x", n, sum.Sum(nil))
	}
}

func changedPaths(before, after map[string]string, workspace string) []string {
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

func reportAutorun(r *toolspec.Result, paths []string) {
	if len(paths) == 0 {
		return
	}
	names := firstNames(paths, 5)
	if value, ok := r.Value.(map[string]any); ok {
		value["runs_later"] = paths
	}
	r.Sentence += "; it created or changed " + names + ", which other programs run"
	addLine(r, "It created or changed "+names+", which other programs run later, outside the sandbox. Tell the person.")
}

const readOnlyWorkspace = "The workspace folder is the home folder or contains its start-up files, so commands " +
	"cannot change " +
	"anything in it. Choose a folder below it as the workspace to allow changes."
