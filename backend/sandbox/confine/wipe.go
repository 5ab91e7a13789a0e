package confine

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Wipe removes a folder that a run filled, also where it closed folders against us. Links are
// removed, not followed.
func Wipe(base string) error {
	if os.RemoveAll(base) == nil {
		return nil
	}
	_ = filepath.WalkDir(base, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // then it can be read: WalkDir does so after this
		}
		return nil
	})
	return os.RemoveAll(base)
}
