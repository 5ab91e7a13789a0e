package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

const (
	maxPath       = 4096 // bytes
	maxStores     = 64
	maxAlternates = 64 << 10 // bytes of an alternates file
)

// addStores adds the places outside top/.git where git would read objects and branches. A .git file, commondir, a link
// and objects/info/alternates can each lead anywhere.
func (t *Tools) addStores(r *repository) *toolspec.Result {
	own := filepath.Join(r.top, ".git")
	if bad := t.addStore(r, own, r.dir); bad != nil {
		return bad
	}
	common, bad := t.commonDir(r)
	if bad != nil {
		return bad
	}
	for _, name := range []string{
		"HEAD", "index", "refs", "packed-refs", "config", "logs", "info", "objects/info",
		"objects/pack",
	} {
		for _, dir := range []string{r.dir, common} {
			if bad := t.addStore(r, dir, filepath.Join(dir, filepath.FromSlash(name))); bad != nil {
				return bad
			}
		}
	}
	return t.addAlternates(r, common, filepath.Join(common, "objects"))
}

// commonDir returns the folder that several work trees share, or r.dir if there is only one.
func (t *Tools) commonDir(r *repository) (string, *toolspec.Result) {
	text, err := smallFile(filepath.Join(r.dir, "commondir"), maxPath)
	if errors.Is(err, os.ErrNotExist) {
		return r.dir, nil
	}
	if err != nil {
		return "", unchecked(r, err)
	}
	common := relativeTo(r.dir, strings.TrimRight(text, "\r\n"))
	if bad := t.addStore(r, r.dir, common); bad != nil {
		return "", bad
	}
	real, err := protectedpaths.Resolve(common)
	if err != nil {
		return "", unchecked(r, err)
	}
	return real, nil
}

func (t *Tools) addAlternates(r *repository, home, objects string) *toolspec.Result {
	seen := map[string]bool{}
	for next := []string{objects}; len(next) > 0; next = next[1:] {
		if bad := t.addStore(r, home, next[0]); bad != nil {
			return bad
		}
		real, err := protectedpaths.Resolve(next[0])
		if err != nil {
			return unchecked(r, err)
		}
		if seen[real] {
			continue
		}
		if seen[real] = true; len(seen) > maxStores {
			return unchecked(r, fmt.Errorf("it names more than %d object stores", maxStores))
		}
		text, err := smallFile(filepath.Join(real, "info/alternates"), maxAlternates)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return unchecked(r, err)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			for _, named := range alternatePaths(line) {
				next = append(next, relativeTo(real, named))
			}
		}
	}
	return nil
}

// alternatePaths returns what git may read in a line of an alternates file: the line itself, a quoted string at its
// start, and the text after that string, which git reads as another line.
func alternatePaths(line string) []string {
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

// Git's own files need no question, because git_read exists to read them.
func (t *Tools) addStore(r *repository, home, path string) *toolspec.Result {
	written := t.cfg.Places.Classify(path)
	if written.Kind == protectedpaths.KindSecret {
		return toolkit.RefuseSecret(path, written)
	}
	real, err := protectedpaths.Resolve(path)
	if err != nil {
		return unchecked(r, err)
	}
	if rel, err := filepath.Rel(home, real); err == nil && filepath.IsLocal(rel) {
		return nil
	}
	read, bad := t.use(real)
	if bad != nil {
		return bad
	}
	if read.Sensitive == t.cfg.Places.ClassifyByName(filepath.Join(r.top, ".git")).Description {
		read.Sensitive = ""
	}
	r.reads = addUse(r.reads, read)
	return nil
}

// It refuses the whole repository, because a history can show each of its files under many names.
func (t *Tools) checkRules(ctx context.Context, r repository) *toolspec.Result {
	paths, err := t.cfg.ForbiddenPaths(ctx, "git_read")
	if err != nil {
		return toolkit.Fail(toolspec.SystemError, "the rules about git_read could not be read: "+err.Error(),
			"Try again.")
	}
	for _, path := range paths {
		real, err := protectedpaths.Resolve(path)
		if err != nil {
			real = path
		}
		for _, u := range r.reads {
			// The files of a store's history are in the folder that contains its .git.
			top, _, _ := strings.Cut(u.Path+string(filepath.Separator),
				string(filepath.Separator)+".git"+string(filepath.Separator))
			top = filepath.Clean(top)
			if toolkit.IsWithin(path, top) || toolkit.IsWithin(real, top) {
				return toolkit.Fail(toolspec.PermissionError, "a rule forbids "+path+", which is in the repository "+
					top,
					"Go on without its history. The person can remove the rule in the settings.")
			}
		}
	}
	return nil
}

func relativeTo(dir, named string) string {
	if filepath.IsAbs(named) {
		return named
	}
	return dir + string(filepath.Separator) + named
}

func smallFile(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return "", fmt.Errorf("%s is not a regular file of at most %d bytes", path, limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	return string(b), err
}

func unchecked(r *repository, err error) *toolspec.Result {
	return toolkit.Fail(toolspec.SecurityError, "the places of the history of "+r.top+" cannot be checked: "+
		err.Error(),
		"Ask the person to check its .git.")
}
