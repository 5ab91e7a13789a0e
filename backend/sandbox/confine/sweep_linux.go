package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// roomsPrefix begins the names of the temporary folders of runs.
const roomsPrefix = "sextant-run-"

// hold locks a folder for as long as the file is open, so that no other Sextant sweeps it. The
// lock ends with this process, however that ends.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// otherRooms are the folders of runs beside base that a run was granted with the folder around them.
func otherRooms(base string, f folders) []string {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(base), roomsPrefix+"*")) // the pattern is right
	return slices.DeleteFunc(all, func(path string) bool {
		return !isDir(path) || isLink(path) || !inAny(path, f.writable) && !inAny(path, f.shown)
	})
}

// sweep wipes the folders of runs in parent whose Sextant was killed before it could.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // then no run could make its own either, and says so
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || !strings.HasPrefix(e.Name(), roomsPrefix) {
			continue
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
			continue
		}
		// The empty file is made after the lock: without it the folder is being made right now.
		if _, err := os.Lstat(path + "/empty"); err != nil {
			continue
		}
		if lock, err := hold(path); err == nil {
			_ = Wipe(path) // what is left is swept by the next one
			_ = lock.Close()
		}
	}
}
