//go:build !linux

package trash

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Rename moves what lies at base in the folder from to the name to in the folder into. It fails with
// fs.ErrExist when the name is taken.
func Rename(from *os.Root, base string, into *os.Root, to string) error {
	if _, err := into.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(filepath.Join(from.Name(), base), filepath.Join(into.Name(), to))
}

// crossDevice reports whether a rename failed because the folders are on two file systems.
func crossDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }
