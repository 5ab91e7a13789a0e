//go:build unix

package space

import "golang.org/x/sys/unix"

// free is how many bytes an ordinary program may still write on the disk of folder.
func free(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:gosec,unconvert // the types differ between systems
}

// fullHere knows no other words for it.
func fullHere(error) bool { return false }
