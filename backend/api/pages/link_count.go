package pages

import (
	"io/fs"
	"syscall"
)

// linkCount returns 1 if the number of hard links is unknown.
func linkCount(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // narrower on arm64
	}
	return 1
}
