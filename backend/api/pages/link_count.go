package pages

import (
	"io/fs"
	"syscall"
)

// linkCount returns the number of hard links of a file, 1 if it is unknown.
func linkCount(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // narrower on arm64
	}
	return 1
}
