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

// forbidden is what the person's rules keep from commands during one walk. Commands do not see it, and it is not
// copied.
type forbidden struct {
	// paths are absolute, as written and with links followed; files are what lies there, which may be reached
	// by another spelling on a case-insensitive file system.
	paths []string
	files []fs.FileInfo
}

// errForbidden is the error of a folder that a rule forbids as a whole.
var errForbidden = errors.New("a rule forbids the folder")

// forbidden returns what the rules forbid. When they cannot be read nothing is walked, because copying is reading.
func (f *folder) forbidden(ctx context.Context) (forbidden, error) {
	paths, err := f.k.cfg.Forbidden(ctx, f.path)
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
		if toolkit.Within(f.path, path) {
			return forbidden{}, errForbidden
		}
		if info, err := os.Lstat(path); err == nil {
			b.files = append(b.files, info)
		}
	}
	return b, nil
}

// has reports whether what lies at an absolute path is forbidden itself.
func (f forbidden) has(path string, info fs.FileInfo) bool {
	return slices.Contains(f.paths, path) || slices.ContainsFunc(f.files,
		func(at fs.FileInfo) bool { return os.SameFile(at, info) })
}

// secret reports whether a path is a place that no tool may read.
func (f *folder) secret(path string) bool {
	return f.k.cfg.Places.ClassifyByName(path).Kind == protectedpaths.Secret
}

// below reports whether rel is one of paths or lies in one; all are relative to the folder.
func below(rel string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return rel == p || strings.HasPrefix(rel, p+"/") })
}

// dropForbidden removes what the walk skipped as forbidden from the known state. A copy from before there was the
// rule is marked for removal.
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

// forget removes everything stored of the folder.
func (f *folder) forget() error {
	f.known, f.saved, f.skipped, f.forbiddenCopy = nil, nil, nil, false
	return errors.Join(f.pack.close(), os.RemoveAll(f.dir))
}
