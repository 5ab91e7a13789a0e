package sqlite

import (
	"errors"
	"fmt"
	"os"
	"time"

	sqlite3 "github.com/mattn/go-sqlite3"

	"sextant/backend/store/diskspace"
)

// Why a file cannot be opened. Use errors.Is to test for them; the error itself is an *OpenError that names the file.
var (
	ErrLocked  = errors.New("another Sextant is using this data")
	ErrDamaged = errors.New("the database is damaged")
	ErrNewer   = errors.New("the database was written by a newer Sextant")
)

// ErrNotFound is returned if a row does not exist.
var ErrNotFound = errors.New("not found")

// OpenError says why a file cannot be opened. Kind is ErrLocked, ErrDamaged, ErrNewer or diskspace.ErrFull. Detail may
// be empty.
type OpenError struct {
	Path   string
	Kind   error
	Detail string
}

// Error returns the file, the reason and what to do.
func (e *OpenError) Error() string {
	text := fmt.Sprintf("%v: %s", e.Kind, e.Path)
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	switch {
	case errors.Is(e.Kind, ErrLocked):
		return text + ". Nothing was changed. Close the other Sextant, or set SEXTANT_DATA to another folder."
	case errors.Is(e.Kind, ErrDamaged):
		return text + ". The file was left unchanged. Restore a backup, or start with a new one."
	case errors.Is(e.Kind, ErrNewer):
		return text + ". Nothing was changed. Use the newer Sextant, or set SEXTANT_DATA to another folder."
	case errors.Is(e.Kind, diskspace.ErrFull):
		return text + ". The stored data is safe. Free some space on that disk, then start Sextant again."
	}
	return text
}

// Unwrap returns Kind.
func (e *OpenError) Unwrap() error { return e.Kind }

func asFull(err error) error {
	var said sqlite3.Error
	if !errors.As(err, &said) || diskspace.IsFull(err) {
		return err
	}
	if said.Code == sqlite3.ErrFull || said.Code == sqlite3.ErrIoErr && diskspace.IsFull(said.SystemErrno) {
		return fmt.Errorf("%w: %w", diskspace.ErrFull, err)
	}
	return err
}

func toOpenError(path string, err error) error {
	var known *OpenError
	if errors.As(err, &known) {
		known.Path = path
		return known
	}
	var said sqlite3.Error
	if errors.As(err, &said) {
		switch said.Code {
		case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
			return &OpenError{Path: path, Kind: ErrDamaged, Detail: said.Error()}
		case sqlite3.ErrBusy, sqlite3.ErrLocked:
			return &OpenError{Path: path, Kind: ErrLocked, Detail: said.Error()}
		}
	}
	if err = asFull(err); diskspace.IsFull(err) {
		return &OpenError{Path: path, Kind: diskspace.ErrFull, Detail: said.Error()}
	}
	return fmt.Errorf("opening the database %s: %w", path, err)
}

// moveAside renames the database at path, with its -wal and -shm files, to <file>.<why>-<UTC time>. It returns the new
// name, "" if there is no such file.
func moveAside(path, why string, now time.Time) (string, error) {
	suffix := "." + why + "-" + now.UTC().Format("20060102T150405.000Z")
	moved := ""
	for _, tail := range []string{"", "-wal", "-shm"} {
		from, to := path+tail, path+suffix+tail
		switch err := os.Rename(from, to); {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return moved, fmt.Errorf("renaming the database: %w", err)
		case tail == "":
			moved = to
		}
	}
	return moved, nil
}
