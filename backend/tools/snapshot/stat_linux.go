package snapshot

import (
	"io/fs"
	"syscall"
)

// identity returns the device and inode, which distinguish a file from a later one at the same path, and the time of
// the last status change, which no program can set.
func identity(info fs.FileInfo) (device, inode uint64, changed int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Dev, st.Ino, st.Ctim.Nano()
	}
	return 0, 0, 0
}
