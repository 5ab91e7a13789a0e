package downloaddir

import (
	"syscall"
)

// freeSpace returns how many bytes of dir's disk are available to us, and whether that is known.
func freeSpace(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * s.Bsize, true
}
