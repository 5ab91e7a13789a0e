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

type forbidden struct {
	// paths are absolute, as written and with links followed. files are the files at these paths, which a
	// case-insensitive file system may also reach under another spelling.
	paths []string
	files []fs.FileInfo
}

var errForbidden = errors.New("a rule forbids the folder")

// If the rules cannot be read, nothing is walked, because a walk copies files.
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

func (f forbidden) has(path string, info fs.FileInfo) bool {
	return slices.Contains(f.paths, path) || slices.ContainsFunc(f.files,
		func(at fs.FileInfo) bool { return os.SameFile(at, info) })
}

func (f *folder) secret(path string) bool {
	return f.watcher.cfg.Places.ClassifyByName(path).Kind == protectedpaths.KindSecret
}

func below(rel string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return rel == p || strings.HasPrefix(rel, p+"/") })
}

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

func (f *folder) forget() error {
	f.known, f.saved, f.skipped, f.forbiddenCopy = nil, nil, nil, false
	return errors.Join(f.pack.close(), os.RemoveAll(f.dir))
}
