package attachment

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sextant/shared/chat"
)

// The most names in the list of a folder, and how deep it goes.
const (
	maxNames = 1000
	maxDepth = 3
)

// AddPath stores a file of the person's disk. A folder becomes a text file with the names in it. The error is a
// *RefusedError if the file cannot be attached.
func (s *Store) AddPath(ctx context.Context, path string) (chat.File, error) {
	info, err := os.Stat(path)
	name := filepath.Base(path)
	switch {
	case err != nil:
		return chat.File{Name: CleanName(name)}, refuse("%s cannot be read", name)
	case info.IsDir():
		return s.Add(ctx, "Names in "+name+".txt", listNames(path))
	case !info.Mode().IsRegular():
		return chat.File{Name: CleanName(name)}, refuse("%s is not a file", name)
	case info.Size() > MaxBytes:
		return chat.File{Name: CleanName(name)}, refuse("%s is larger than 20 MB", name)
	case info.Size() == 0:
		return chat.File{Name: CleanName(name)}, refuse("%s is empty", name)
	}
	data, err := ReadFile(path)
	if err != nil {
		return chat.File{Name: CleanName(name)}, refuse("%s cannot be read", name)
	}
	return s.Add(ctx, name, data)
}

// ReadFile returns the content of a file, at most MaxBytes and one byte more.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

func listNames(folder string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Folder %s\n", filepath.Base(folder))
	n := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(folder, path)
		if err != nil || relErr != nil || rel == "." {
			return nil //nolint:nilerr // what cannot be read is left out
		}
		if n++; n > maxNames {
			return filepath.SkipAll
		}
		if !entry.IsDir() {
			fmt.Fprintln(&b, rel)
			return nil
		}
		fmt.Fprintln(&b, rel+"/")
		if strings.Count(rel, string(filepath.Separator)) >= maxDepth-1 {
			return filepath.SkipDir
		}
		return nil
	})
	if n > maxNames || err != nil {
		fmt.Fprintf(&b, "… only the first %d names\n", maxNames)
	}
	return []byte(b.String())
}
