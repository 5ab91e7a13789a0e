package files

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// openCarefully opens nothing that would wait, and no link.
const openCarefully = syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY

// leadsTo reports whether f, which is open, is what the real path names: the kernel is asked
// which path it was opened by.
func leadsTo(f *os.File, path string) bool {
	opened, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return sameNow(f, path)
	}
	return opened == path
}

// sameNow reports whether path names f at this moment, over no link.
func sameNow(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	real, linkErr := filepath.EvalSymlinks(path)
	return err == nil && linkErr == nil && real == path && os.SameFile(held, now)
}
