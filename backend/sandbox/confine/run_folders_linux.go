package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const runFolderPrefix = "sextant-run-"

// lockFolder locks a folder while the returned file is open, so that no other Sextant process removes it. The kernel
// releases the lock when this process ends.
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

// otherRunFolders returns folders of other runs, next to base, that would be visible to a run.
func otherRunFolders(base string, f fileAccess) []string {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(base), runFolderPrefix+"*")) // the pattern is valid
	return slices.DeleteFunc(all, func(path string) bool {
		return !isDir(path) || isLink(path) || !withinAny(path, f.writable) && !withinAny(path, f.readable)
	})
}

// removeStaleRunFolders removes folders in parent that were left by Sextant processes that were killed.
func removeStaleRunFolders(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // creating the folder of a run will fail with a message
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
		// The empty file is created after the lock. If it is missing, the folder is just being created.
		if _, err := os.Lstat(path + "/empty"); err != nil {
			continue
		}
		if lock, err := lockFolder(path); err == nil {
			_ = RemoveAll(path) // the next start of Sextant removes the rest
			_ = lock.Close()
		}
	}
}
