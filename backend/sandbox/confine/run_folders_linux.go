package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// runFolderPrefix begins the names of the temporary folders of runs.
const runFolderPrefix = "sextant-run-"

// lockFolder locks a folder while the file is open, so that no other Sextant removes it. The lock ends with this
// process, however that ends.
func lockFolder(dir string) (*os.File, error) {
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

// otherRunFolders returns folders of other runs, next to base, that a run would see.
func otherRunFolders(base string, f fileAccess) []string {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(base), runFolderPrefix+"*")) // the pattern is valid
	return slices.DeleteFunc(all, func(path string) bool {
		return !isDir(path) || isLink(path) || !withinAny(path, f.writable) && !withinAny(path, f.readable)
	})
}

// removeStaleRunFolders removes folders of runs in parent whose Sextant was killed.
func removeStaleRunFolders(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // then creating the folder of a run fails with a message
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || !strings.HasPrefix(e.Name(), runFolderPrefix) {
			continue
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
			continue
		}
		// The empty file is created after the lock: without it the folder is being created now.
		if _, err := os.Lstat(path + "/empty"); err != nil {
			continue
		}
		if lock, err := lockFolder(path); err == nil {
			_ = RemoveAll(path) // the next Sextant removes what is left
			_ = lock.Close()
		}
	}
}
