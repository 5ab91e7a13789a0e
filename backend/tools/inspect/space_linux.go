package inspect

import "golang.org/x/sys/unix"

// free is the space for unprivileged users. Both are in bytes.
func space(path string) (size, free uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil || s.Bsize <= 0 {
		return 0, 0, false
	}
	return s.Blocks * uint64(s.Bsize), s.Bavail * uint64(s.Bsize), true
}
