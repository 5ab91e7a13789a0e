package sqlite

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// fileLock is held while this process owns the database. The kernel releases it when the process ends.
type fileLock struct{ file *os.File }

// acquireLock locks a file next to the database. It does not use SQLite's own POSIX locks, because closing a second
// descriptor of the same file would release them.
func acquireLock(path string) (*fileLock, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder := make([]byte, 32)
		n, _ := f.ReadAt(holder, 0)
		_ = f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking the data folder: %w", err)
		}
		detail := ""
		if pid := strings.TrimSpace(string(holder[:n])); pid != "" {
			detail = "process " + pid
		}
		return nil, &OpenError{Path: path, Kind: ErrLocked, Detail: detail}
	}
	if err := f.Truncate(0); err == nil {
		// The number only makes the other process's message more useful.
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
	return &fileLock{file: f}, nil
}

func (l *fileLock) release() error { return l.file.Close() }
