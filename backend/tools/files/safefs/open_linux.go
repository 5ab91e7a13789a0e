package safefs

import (
	"fmt"
	"os"
	"syscall"
)

// OpenFlags are the flags that keep an open from blocking and from following a link.
const OpenFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY

// isAt reports whether the open file f was reached by the real path. The kernel knows by which path
// it was opened.
func isAt(f *os.File, path string) bool {
	opened, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return isNowAt(f, path)
	}
	return opened == path
}
