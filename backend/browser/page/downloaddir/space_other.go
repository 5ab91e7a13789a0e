//go:build !linux

package downloaddir

// freeSpace does not know on this system.
func freeSpace(string) (int64, bool) { return 0, false }
