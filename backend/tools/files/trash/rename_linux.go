package trash

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Rename moves the entry base of the folder from to the name to in the folder into. The folders are open handles, so
// that a link swapped in is not followed. Rename fails with fs.ErrExist if the name is taken.
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
		// The file system cannot rename without replacing, so the name is checked first.
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

func crossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }
