package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Backup writes a consistent copy of the database to the file to, with mode 0600, in place of an older one. Reading and
// writing go on meanwhile. After an error, to is as before.
func (s *Store) Backup(ctx context.Context, to string) error {
	s.backup.Lock()
	defer s.backup.Unlock()
	part := to + ".part"
	defer os.Remove(part)
	// SQLite accepts an existing file if it is empty, and keeps its mode. WriteFile empties what an aborted backup
	// left.
	if err := os.WriteFile(part, nil, 0o600); err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	// A connection of its own: those for reading may not write any file, and the one for writing stays free.
	db, err := sql.Open("sqlite3", dsn(s.path, ""))
	if err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", part)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("backing up: %w", asFull(err))
	}
	if err := os.Rename(part, to); err != nil {
		return fmt.Errorf("backing up: %w", err)
	}
	return nil
}

// Restore replaces the database at path by a copy of the backup from. It returns the new name of the replaced file, ""
// if there was none. It changes nothing and returns an *OpenError if another process owns the database
// (ErrLocked) or the backup is damaged (ErrDamaged).
func Restore(ctx context.Context, path, from string) (replaced string, err error) {
	lock, err := acquireLock(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	if err := checkBackup(ctx, from); err != nil {
		return "", err
	}
	next := path + ".restoring"
	defer os.Remove(next)
	if err := copyFile(next, from); err != nil {
		return "", fmt.Errorf("restoring %s: %w", from, err)
	}
	if replaced, err = moveAside(path, "replaced", time.Now()); err != nil {
		return replaced, err
	}
	if err := os.Rename(next, path); err != nil {
		return replaced, fmt.Errorf("restoring %s: %w", from, err)
	}
	return replaced, nil
}

func checkBackup(ctx context.Context, path string) error {
	s, err := OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}
	if err = checkIntegrity(ctx, s.reader); err != nil {
		err = toOpenError(path, err)
	}
	return errors.Join(err, s.closeConnections())
}

func copyFile(to, from string) error {
	in, err := os.Open(filepath.Clean(from))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
