package snapshot

import (
	"io/fs"
	"syscall"
)

// identity returns what distinguishes a file from another one at the same path, and the time of its last status
// change, which no program can set.
func identity(info fs.FileInfo) (device, inode uint64, changed int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Dev, st.Ino, st.Ctim.Nano()
	}
	return 0, 0, 0
}
