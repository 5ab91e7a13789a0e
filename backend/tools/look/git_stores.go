package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sextant/backend/guard/places"
	"sextant/backend/tools/room"
	"sextant/shared/toolspec"
)

// Bounds of what a repository names beside itself; git follows five steps of it.
const (
	maxNamed    = 4096 // bytes of a path
	maxStores   = 64
	maxBorrowed = 64 << 10 // bytes of a list of stores
)

// stores judges where git would read objects and branches when that is not top/.git: a .git
// file, commondir, a link and objects/info/alternates each lead to wherever somebody wrote. Every
// such place is added to what is read.
func (t *Tools) stores(r *repository) *toolspec.Result {
	own := filepath.Join(r.top, ".git")
	if bad := t.store(r, own, r.dir); bad != nil {
		return bad
	}
	common, bad := t.common(r)
	if bad != nil {
		return bad
	}
	for _, name := range []string{"HEAD", "index", "refs", "packed-refs", "config", "logs", "info", "objects/info", "objects/pack"} {
		for _, dir := range []string{r.dir, common} {
			if bad := t.store(r, dir, filepath.Join(dir, filepath.FromSlash(name))); bad != nil {
				return bad
			}
		}
	}
	return t.borrowed(r, common, filepath.Join(common, "objects"))
}

// common is the folder that several work trees share, r.dir when it is none of several.
func (t *Tools) common(r *repository) (string, *toolspec.Result) {
	text, err := smallFile(filepath.Join(r.dir, "commondir"), maxNamed)
	if errors.Is(err, os.ErrNotExist) {
		return r.dir, nil
	}
	if err != nil {
		return "", unclear(r, err)
	}
	common := beside(r.dir, strings.TrimRight(text, "\r\n"))
	if bad := t.store(r, r.dir, common); bad != nil {
		return "", bad
	}
	real, err := places.Resolve(common)
	if err != nil {
		return "", unclear(r, err)
	}
	return real, nil
}

// borrowed judges the stores of objects that a store names, and those that these name.
func (t *Tools) borrowed(r *repository, home, objects string) *toolspec.Result {
	seen := map[string]bool{}
	for next := []string{objects}; len(next) > 0; next = next[1:] {
		if bad := t.store(r, home, next[0]); bad != nil {
			return bad
		}
		real, err := places.Resolve(next[0])
		if err != nil {
			return unclear(r, err)
		}
		if seen[real] {
			continue
		}
		if seen[real] = true; len(seen) > maxStores {
			return unclear(r, fmt.Errorf("it names more than %d stores of objects", maxStores))
		}
		text, err := smallFile(filepath.Join(real, "info/alternates"), maxBorrowed)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return unclear(r, err)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			for _, named := range readings(line) {
				next = append(next, beside(real, named))
			}
		}
	}
	return nil
}

// readings are what git may take a line of alternates for: the line as it is written, what is
// quoted at its start, and what stands behind that, which git reads as a line of its own.
func readings(line string) []string {
	all := []string{line}
	for {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return all
		}
		if plain, err := strconv.Unquote(quoted); err == nil && plain != "" {
			all = append(all, plain)
		}
		if line = strings.TrimPrefix(line, quoted); len(line) < 2 {
			return all
		}
		line = line[1:]
		all = append(all, line)
	}
}

// store adds path to what is read when it leads out of home. That it is git's own needs no
// question, which git_read is there to read; whatever else it is does.
func (t *Tools) store(r *repository, home, path string) *toolspec.Result {
	written := t.cfg.Places.Judge(path)
	if written.Kind == places.Secret {
		return room.Secret(path, written)
	}
	real, err := places.Resolve(path)
	if err != nil {
		return unclear(r, err)
	}
	if rel, err := filepath.Rel(home, real); err == nil && filepath.IsLocal(rel) {
		return nil
	}
	read, bad := t.reads(real)
	if bad != nil {
		return bad
	}
	if read.Sensitive == t.cfg.Places.Named(filepath.Join(r.top, ".git")).What {
		read.Sensitive = ""
	}
	r.reads = addUse(r.reads, read)
	return nil
}

// ruled refuses a repository that holds what a rule of the person keeps from git_read: a history
// tells of every file under many names, so that nothing less than all of it is kept closed.
func (t *Tools) ruled(ctx context.Context, r repository) *toolspec.Result {
	if t.cfg.Forbidden == nil {
		return nil
	}
	paths, err := t.cfg.Forbidden(ctx, "git_read")
	if err != nil {
		return room.Fail(toolspec.SystemError, "the rules about git_read could not be read: "+err.Error(), "Try again.")
	}
	for _, path := range paths {
		real, err := places.Resolve(path)
		if err != nil {
			real = path
		}
		for _, u := range r.reads {
			// The files of a store's history lie in the folder that holds its .git.
			top, _, _ := strings.Cut(u.Path+string(filepath.Separator), string(filepath.Separator)+".git"+string(filepath.Separator))
			top = filepath.Clean(top)
			if inside(top, path) || inside(top, real) {
				return room.Fail(toolspec.PermissionError, "a rule forbids "+path+", which lies in the repository "+top,
					"Go on without its history. The person can take the rule back in the settings.")
			}
		}
	}
	return nil
}

func inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

func beside(dir, named string) string {
	if filepath.IsAbs(named) {
		return named
	}
	return dir + string(filepath.Separator) + named
}

// smallFile is the text of a regular file of at most limit bytes.
func smallFile(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return "", fmt.Errorf("%s is no ordinary file of at most %d bytes", path, limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	return string(b), err
}

func unclear(r *repository, err error) *toolspec.Result {
	return room.Fail(toolspec.SecurityError, "where "+r.top+" keeps its history cannot be judged: "+err.Error(), "Ask the person to look at its .git.")
}
