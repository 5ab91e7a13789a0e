//go:build unix

package space

import "golang.org/x/sys/unix"

// free returns how many bytes an unprivileged program can still write to the disk of folder.
func free(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:gosec,unconvert // the types differ between systems
}

// fullHere reports errors of this system; there are none besides the common ones.
func fullHere(error) bool { return false }
