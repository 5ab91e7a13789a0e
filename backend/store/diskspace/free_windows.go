package diskspace

import (
	"errors"

	"golang.org/x/sys/windows"
)

// freeBytes returns how many bytes this program can still write to the disk of folder.
func freeBytes(folder string) (int64, error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	var left uint64
	if err := windows.GetDiskFreeSpaceEx(name, &left, nil, nil); err != nil {
		return 0, err
	}
	return int64(left), nil //nolint:gosec // no disk has that many
}

// isSystemFull reports errors of this system.
func isSystemFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
