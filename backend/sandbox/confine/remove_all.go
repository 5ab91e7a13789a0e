package confine

import (
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveAll removes a folder that a run wrote to, even if the run removed permissions. It does not follow symlinks.
func RemoveAll(base string) error {
	if os.RemoveAll(base) == nil {
		return nil
	}
	_ = filepath.WalkDir(base, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // WalkDir reads the folder after this
		}
		return nil
	})
	return os.RemoveAll(base)
}
