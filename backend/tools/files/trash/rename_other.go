//go:build !linux

package trash

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Rename gives what lies at base in from the name to in the folder into. What has that name
// already stays: fs.ErrExist.
func Rename(from *os.Root, base string, into *os.Root, to string) error {
	if _, err := into.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(filepath.Join(from.Name(), base), filepath.Join(into.Name(), to))
}

// elsewhere reports whether a rename failed because the places are on two file systems.
func elsewhere(err error) bool { return errors.Is(err, syscall.EXDEV) }
