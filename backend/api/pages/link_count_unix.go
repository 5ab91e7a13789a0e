//go:build unix

package pages

import (
	"io/fs"
	"syscall"
)

// names is how many names a file has, 1 when that is not known.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // narrower on other systems
	}
	return 1
}
