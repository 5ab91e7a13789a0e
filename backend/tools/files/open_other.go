//go:build !linux

package files

import (
	"os"
	"path/filepath"
)

// openCarefully has nothing to add: what would wait was left out by its kind before.
const openCarefully = 0

// leadsTo reports whether path names f, which is open, at this moment and over no link.
func leadsTo(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	real, linkErr := filepath.EvalSymlinks(path)
	return err == nil && linkErr == nil && real == path && os.SameFile(held, now)
}
