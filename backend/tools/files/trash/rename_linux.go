package trash

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Rename gives what lies at base in from the name to in the folder into. Both are open, so no
// link put in their place meanwhile is followed, and what has that name already stays:
// fs.ErrExist.
func Rename(from *os.Root, base string, into *os.Root, to string) error {
	a, err := from.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	b, err := into.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	err = unix.Renameat2(int(a.Fd()), base, int(b.Fd()), to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		// This file system cannot promise it, so it is looked at first.
		if _, there := into.Lstat(to); there == nil {
			return fs.ErrExist
		}
		err = unix.Renameat(int(a.Fd()), base, int(b.Fd()), to)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: base, New: to, Err: err}
	}
	return errors.Join(a.Sync(), b.Sync())
}

// elsewhere reports whether a rename failed because the places are on two file systems.
func elsewhere(err error) bool { return errors.Is(err, unix.EXDEV) }
