//go:build windows

package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// fileLock is held for as long as this process owns the database. The system drops it
// when the process ends, however it ends.
type fileLock struct{ file *os.File }

func acquireLock(path string) (*fileLock, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, new(windows.Overlapped)); err != nil {
		_ = f.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			return nil, &OpenError{Path: path, Kind: ErrLocked}
		}
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	return &fileLock{file: f}, nil
}

func (l *fileLock) release() error { return l.file.Close() }
