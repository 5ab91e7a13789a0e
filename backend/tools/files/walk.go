package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"sextant/backend/guard/places"
	"sextant/backend/tools/room"
	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

// Bounds of a walk.
const (
	maxVisited = 200_000
	maxDepth   = 64
	maxIgnored = 1000
)

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// entry is one file or folder a walk comes by.
type entry struct {
	// rel is its path from where the walk began, with slashes; real is absolute.
	rel, real string
	// dir is the handle of its folder; it is closed when the walk leaves the folder.
	dir   *os.Root
	d     fs.DirEntry
	place places.Place
}

// walk goes through a folder, names in order, links not followed. Secret places are passed by;
// git's own folders, and what .gitignore leaves out when heed is set, are too.
type walk struct {
	t       *Tools
	ctx     context.Context
	base    string
	heed    bool
	depth   int
	visit   func(entry) error
	rules   []rule
	visited int
	// tool is whose walk it is, and forbidden what rules keep from it, links followed too.
	tool      string
	forbidden []string
	// closed counts what was passed by because it is secret, forbidden by a rule or cannot be opened.
	closed int
	// full says that the walk ended at its bound.
	full bool
	// downloads is where files from outside lie; met says that the walk came by some.
	downloads string
	met       bool
}

// run walks from target a on.
func (w *walk) run(a target) error {
	root, err := w.t.openDir(a, a.real)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := w.heedRules(); err != nil {
		return err
	}
	w.base, w.downloads = a.real, w.t.cfg.DownloadsFolder()
	if w.heed && a.folder != "" {
		w.above(a)
	}
	err = w.folder(root, "", 0)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// heedRules reads which places a rule of the person keeps from the tool. Without them nothing is
// walked, for what a walk finds cannot be taken back.
func (w *walk) heedRules() error {
	if w.t.cfg.Forbidden == nil {
		return nil
	}
	paths, err := w.t.cfg.Forbidden(w.ctx, w.tool)
	if err != nil {
		return fmt.Errorf("reading the rules about %s: %w", w.tool, err)
	}
	for _, path := range paths {
		w.forbidden = append(w.forbidden, path)
		if real, err := places.Resolve(path); err == nil {
			w.forbidden = append(w.forbidden, real)
		}
	}
	return nil
}

// above reads the .gitignore files between the workspace folder and where the walk begins.
func (w *walk) above(a target) {
	rel, err := filepath.Rel(a.folder, a.real)
	if err != nil || rel == "." {
		return
	}
	dir := a.folder
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if root, err := w.t.openDir(a, dir); err == nil {
			w.rules = append(w.rules, readRules(root, filepath.ToSlash(dir))...)
			_ = root.Close()
		}
		dir = filepath.Join(dir, part)
	}
}

func (w *walk) folder(root *os.Root, rel string, depth int) error {
	entries, err := w.read(root)
	if err != nil {
		return err
	}
	if w.heed {
		mark := len(w.rules)
		w.rules = append(w.rules, readRules(root, path.Join(filepath.ToSlash(w.base), rel))...)
		defer func() { w.rules = w.rules[:mark] }()
	}
	for _, d := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.visited++; w.visited > maxVisited {
			w.full = true
			return errEnough
		}
		e := entry{rel: path.Join(rel, d.Name()), dir: root, d: d}
		e.real = filepath.Join(w.base, filepath.FromSlash(e.rel))
		if e.place = w.t.cfg.Places.Named(e.real); e.place.Kind == places.Secret || slices.Contains(w.forbidden, e.real) {
			w.closed++
			continue
		}
		if w.heed && w.ignored(e) {
			continue
		}
		w.met = w.met || w.downloads != "" && e.real != w.downloads && room.Within(e.real, w.downloads)
		if err := w.visit(e); err != nil {
			return err
		}
		if d.IsDir() && depth+1 < w.depth && d.Name() != ".git" {
			if err := w.below(root, e, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) below(root *os.Root, e entry, depth int) error {
	sub, err := root.OpenRoot(e.d.Name())
	if err != nil {
		w.closed++ // not ours to read, or gone meanwhile
		return nil
	}
	defer func() { _ = sub.Close() }()
	// A link put in the folder's place leads the handle elsewhere.
	d, err := sub.Open(".")
	if err != nil {
		w.closed++
		return nil
	}
	same := leadsTo(d, e.real)
	_ = d.Close()
	if !same {
		w.closed++
		return nil
	}
	return w.folder(sub, e.rel, depth)
}

// read lists a folder in the order of names, within the bound of the walk.
func (w *walk) read(root *os.Root) ([]fs.DirEntry, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	var all []fs.DirEntry
	for len(all) <= maxVisited-w.visited {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		some, err := d.ReadDir(1000)
		all = append(all, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			w.closed++
			break
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// rule is one line of a .gitignore.
type rule struct {
	// dir is the folder the file lies in, absolute with slashes.
	dir      string
	pattern  string
	negated  bool
	onlyDirs bool
}

// readRules reads the .gitignore of a folder (gitignore(5)); a missing or odd one has none.
func readRules(root *os.Root, dir string) []rule {
	info, err := root.Lstat(".gitignore")
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := root.OpenFile(".gitignore", os.O_RDONLY|openCarefully, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var rules []rule
	lines := bufio.NewScanner(io.LimitReader(f, maxRead))
	for lines.Scan() && len(rules) < maxIgnored {
		if r, ok := parseRule(lines.Text()); ok {
			r.dir = dir
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (rule, bool) {
	line = strings.TrimRight(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.onlyDirs, line = true, strings.TrimRight(line, "/")
	}
	if !strings.Contains(line, "/") {
		line = "**/" + line
	}
	// In a .gitignore, braces stand for themselves.
	r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(line, "/"))
	return r, r.pattern != "" && doublestar.ValidatePattern(r.pattern)
}

// ignored reports whether a .gitignore leaves e out; the last rule that fits counts.
func (w *walk) ignored(e entry) bool {
	if e.d.IsDir() && e.d.Name() == ".git" {
		return true
	}
	real := filepath.ToSlash(e.real)
	for _, r := range slices.Backward(w.rules) {
		if r.onlyDirs && !e.d.IsDir() {
			continue
		}
		rel, below := strings.CutPrefix(real, strings.TrimSuffix(r.dir, "/")+"/")
		if below && doublestar.MatchUnvalidated(r.pattern, rel) {
			return !r.negated
		}
	}
	return false
}

// sources names the folder of downloads when the walk came by what lies in it.
func (w *walk) sources() []string {
	if !w.met {
		return nil
	}
	return []string{"download:" + filepath.Base(w.downloads)}
}

// notes says what a walk did not see.
func (w *walk) notes(more string) string {
	var all []string
	if more != "" {
		all = append(all, more)
	}
	if w.full {
		all = append(all, fmt.Sprintf("only the first %d entries were looked at; narrow the path", maxVisited))
	}
	if w.closed > 0 {
		all = append(all, counted(w.closed, "place")+" closed to tools or not readable left out")
	}
	return strings.Join(all, "; ")
}

// pathOr is path, or the workspace folder.
func pathOr(p string) string {
	if p == "" {
		return "."
	}
	return p
}

// reads is the use of a tool that looks at one place.
func reads(p string) []use { return []use{{path: pathOr(p), use: toolspec.UseRead}} }

// shownFolder names a folder in a sentence.
func shownFolder(a target) string {
	if a.shown == "." {
		return "the workspace"
	}
	return clip.Bytes(a.shown, 80)
}
