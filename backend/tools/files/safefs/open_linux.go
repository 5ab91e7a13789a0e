package safefs

import (
	"fmt"
	"os"
	"syscall"
)

// OpenFlags prevent an open from blocking, from following a link at the end of the path, and from acquiring a terminal.
const OpenFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY

// isAt reports whether path is the real path of f.
func isAt(f *os.File, path string) bool {
	opened, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return isNowAt(f, path)
	}
	return opened == path
}
