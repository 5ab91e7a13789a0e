package snapshot

import (
	"io/fs"
	"syscall"
)

// identity is what tells a file from another at the same path, and when anything of it changed
// last, which no program can set.
func identity(info fs.FileInfo) (device, inode uint64, changed int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Dev, st.Ino, st.Ctim.Nano()
	}
	return 0, 0, 0
}

// openCarefully opens nothing that would wait, and no link.
const openCarefully = syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY
