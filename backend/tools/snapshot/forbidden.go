package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/toolkit"
)

// forbidden contains the paths that the person's rules deny to commands during one walk. Commands cannot see them, and
// they are not copied.
type forbidden struct {
	// paths are absolute, as written and with links followed. files are the files at these paths, which a
	// case-insensitive file system may also reach under another spelling.
	paths []string
	files []fs.FileInfo
}

// errForbidden is returned for a folder that a rule forbids as a whole.
var errForbidden = errors.New("a rule forbids the folder")

// forbidden returns the paths that the rules forbid. If they cannot be read, nothing is walked, because a walk copies
// files.
func (f *folder) forbidden(ctx context.Context) (forbidden, error) {
	paths, err := f.watcher.cfg.ForbiddenPaths(ctx, f.path)
	if err != nil {
		return forbidden{}, fmt.Errorf("reading the rules: %w", err)
	}
	var b forbidden
	for _, path := range paths {
		b.paths = append(b.paths, filepath.Clean(path))
		if real, err := protectedpaths.Resolve(path); err == nil {
			b.paths = append(b.paths, real)
		}
	}
	for _, path := range b.paths {
		if toolkit.IsWithin(f.path, path) {
			return forbidden{}, errForbidden
		}
		if info, err := os.Lstat(path); err == nil {
			b.files = append(b.files, info)
		}
	}
	return b, nil
}

// has reports whether the entry at an absolute path is itself forbidden.
func (f forbidden) has(path string, info fs.FileInfo) bool {
	return slices.Contains(f.paths, path) || slices.ContainsFunc(f.files,
		func(at fs.FileInfo) bool { return os.SameFile(at, info) })
}

// secret reports whether a path is a place that no tool may read.
func (f *folder) secret(path string) bool {
	return f.watcher.cfg.Places.ClassifyByName(path).Kind == protectedpaths.KindSecret
}

// below reports whether rel is one of paths or is below one. All are relative to the folder.
func below(rel string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return rel == p || strings.HasPrefix(rel, p+"/") })
}

// dropForbidden removes the paths that the walk skipped as forbidden from the known state. A copy that is older than
// the rule is marked for removal.
func (f *folder) dropForbidden(s *scan) {
	for rel := range f.known {
		if below(rel, s.skipped) {
			delete(f.known, rel)
			f.saved, f.forbiddenCopy = nil, true
		}
	}
	for _, rel := range s.skipped {
		if !below(rel, f.skipped) { // a command may have created it
			s.unwatchedChanges = append(s.unwatchedChanges, rel)
		}
	}
}

// forget removes everything that is stored for the folder.
func (f *folder) forget() error {
	f.known, f.saved, f.skipped, f.forbiddenCopy = nil, nil, nil, false
	return errors.Join(f.pack.close(), os.RemoveAll(f.dir))
}
