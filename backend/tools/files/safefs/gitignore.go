package safefs

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxIgnoreRules = 1000
	maxIgnoreBytes = 1 << 20
)

// ignoreRule is one line of a .gitignore file; see gitignore(5).
type ignoreRule struct {
	// dir is the absolute path of the file's folder, with slashes.
	dir      string
	pattern  string
	negated  bool
	onlyDirs bool
}

// LoadIgnores prepares IsIgnored for the entries of the folder at t, for a walk without RespectGitIgnore.
func (w *Walk) LoadIgnores(t Target) {
	if t.Workspace == "" {
		return
	}
	if root, err := w.FS.OpenDir(t, t.Real); err == nil {
		w.loadIgnoresAbove(t)
		w.rules = append(w.rules, readIgnores(root, filepath.ToSlash(t.Real))...)
		_ = root.Close()
	}
}

func (w *Walk) loadIgnoresAbove(t Target) {
	rel, err := filepath.Rel(t.Workspace, t.Real)
	if err != nil || rel == "." {
		return
	}
	dir := t.Workspace
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if root, err := w.FS.OpenDir(t, dir); err == nil {
			w.rules = append(w.rules, readIgnores(root, filepath.ToSlash(dir))...)
			_ = root.Close()
		}
		dir = filepath.Join(dir, part)
	}
}

func readIgnores(root *os.Root, dir string) []ignoreRule {
	info, err := root.Lstat(".gitignore")
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := root.OpenFile(".gitignore", os.O_RDONLY|OpenFlags, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var rules []ignoreRule
	lines := bufio.NewScanner(io.LimitReader(f, maxIgnoreBytes))
	for lines.Scan() && len(rules) < maxIgnoreRules {
		if r, ok := parseIgnore(lines.Text()); ok {
			r.dir = dir
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnore(line string) (ignoreRule, bool) {
	line = strings.TrimRight(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	var r ignoreRule
	if line[0] == '!' {
		r.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.onlyDirs, line = true, strings.TrimRight(line, "/")
	}
	if !strings.Contains(line, "/") {
		line = "**/" + line
	}
	// Braces are literal in a .gitignore file.
	r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(line, "/"))
	return r, r.pattern != "" && doublestar.ValidatePattern(r.pattern)
}

// IsIgnored reports whether e is a .git folder or the .gitignore files read so far exclude it.
func (w *Walk) IsIgnored(e Entry) bool {
	if e.IsDir() && e.Name() == ".git" {
		return true
	}
	real := filepath.ToSlash(e.Real)
	for _, r := range slices.Backward(w.rules) {
		if r.onlyDirs && !e.IsDir() {
			continue
		}
		rel, below := strings.CutPrefix(real, strings.TrimSuffix(r.dir, "/")+"/")
		if below && doublestar.MatchUnvalidated(r.pattern, rel) {
			return !r.negated
		}
	}
	return false
}
