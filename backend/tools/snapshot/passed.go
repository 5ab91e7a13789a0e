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

	"sextant/backend/guard/places"
	"sextant/backend/tools/room"
)

// barred is what rules of the person keep from commands at the time of one walk, and so from us: a
// command does not see it, and no copy of it is made.
type barred struct {
	// paths are absolute, as written and as they lead; files are what lies there, which may be
	// reached by another spelling where the file system takes any.
	paths []string
	files []fs.FileInfo
}

// errBarred says that a rule forbids the folder as a whole.
var errBarred = errors.New("a rule forbids the folder")

// barred asks which places rules forbid. Without them nothing is walked, for what was copied was read.
func (f *folder) barred(ctx context.Context) (barred, error) {
	if f.k.cfg.Forbidden == nil {
		return barred{}, nil
	}
	paths, err := f.k.cfg.Forbidden(ctx, f.path)
	if err != nil {
		return barred{}, fmt.Errorf("reading your rules: %w", err)
	}
	var b barred
	for _, path := range paths {
		b.paths = append(b.paths, filepath.Clean(path))
		if real, err := places.Resolve(path); err == nil {
			b.paths = append(b.paths, real)
		}
	}
	for _, path := range b.paths {
		if room.Within(f.path, path) {
			return barred{}, errBarred
		}
		if info, err := os.Lstat(path); err == nil {
			b.files = append(b.files, info)
		}
	}
	return b, nil
}

// has reports whether what lies at an absolute path is forbidden by its own name.
func (b barred) has(path string, info fs.FileInfo) bool {
	return slices.Contains(b.paths, path) || slices.ContainsFunc(b.files, func(at fs.FileInfo) bool { return os.SameFile(at, info) })
}

// secret reports whether a path that a walk came to is a place that nobody's tools read.
func (f *folder) secret(path string) bool { return f.k.cfg.Places.Named(path).Kind == places.Secret }

// below reports whether rel is one of paths or lies in one; both are paths from the folder.
func below(rel string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return rel == p || strings.HasPrefix(rel, p+"/") })
}

// passBy leaves what is passed by out of what is known, for of that two states cannot be compared. A
// copy from before there was the rule is marked to be thrown away.
func (f *folder) passBy(s *scan) {
	for rel := range f.known {
		if below(rel, s.passed) {
			delete(f.known, rel)
			f.saved, f.barredCopy = nil, true
		}
	}
	for _, rel := range s.passed {
		if !below(rel, f.passed) { // a command may have made it
			s.unseen = append(s.unseen, rel)
		}
	}
}

// forget throws away all that is kept of the folder.
func (f *folder) forget() error {
	f.known, f.saved, f.passed, f.barredCopy = nil, nil, nil, false
	return errors.Join(f.pack.close(), os.RemoveAll(f.dir))
}
