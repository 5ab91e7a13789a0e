// Package sqlite stores what Sextant must not lose in one SQLite file: the ordered event log, the conversations,
// messages and turns projected from it, the audit chain, the settings and the grants.
//
// Events are the source of truth. Conversations, messages and turns are projections, written in the transaction that
// stores the event, so that tables and log agree even after a crash. When a method returns without an error, its change
// is on disk (WAL, synchronous FULL). Writes use one connection, reads use a small pool, and methods are safe for
// concurrent use.
//
// One process owns a file at a time (ErrLocked). A file that fails its check stays unchanged (ErrDamaged) until
// OpenFresh is called. Open marks what was running when the last process ended as interrupted; Recovery returns the
// list.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/mattn/go-sqlite3" // the database/sql driver "sqlite3"

	"sextant/backend/store/batchstore"
	"sextant/backend/store/diskspace"
	"sextant/backend/store/metrics"
	"sextant/backend/store/schedulestore"
	"sextant/backend/store/search"
)

// readers is the size of the read pool, enough for overlapping requests of a window.
const readers = 4

// Store is an open database. Use Open or OpenFresh to create one.
type Store struct {
	path string
	// opened is the file at path when it was opened.
	opened   os.FileInfo
	log      *slog.Logger
	lock     *fileLock
	writer   *sql.DB
	reader   *sql.DB
	recovery Recovery
	// unchecked is true if Open did not check the file, because that would take too long.
	unchecked bool
	// Reader reads the metrics.
	*metrics.Reader
	recorder metrics.Recorder
	// Scheduled contains the schedules and their runs.
	Scheduled *schedulestore.Store
	// Batches contains the batches and their rows.
	Batches  *batchstore.Store
	searcher *search.Reader
	// full is called with the error of every write that failed for lack of disk space.
	full atomic.Pointer[func(error)]
	// backup is locked while a backup is written.
	backup sync.Mutex
}

// Open opens the SQLite file at path. If necessary, it creates the folder (0700) and the file (0600) and migrates the
// schema. It marks what the last process left running as interrupted. An error for ErrLocked, ErrDamaged or ErrNewer is
// an *OpenError.
func Open(ctx context.Context, path string, log *slog.Logger) (*Store, error) {
	abs, err := prepare(path, log)
	if err != nil {
		return nil, err
	}
	lock, err := acquireLock(abs)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, abs, lock, log)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return s, nil
}

// OpenFresh renames the damaged file at path, with its -wal and -shm files, to <file>.damaged-<UTC time> and opens a
// new one. It returns the new name of the old file, "" if there was none, and ErrLocked if another process owns the
// file.
func OpenFresh(ctx context.Context, path string, log *slog.Logger) (*Store, string, error) {
	abs, err := prepare(path, log)
	if err != nil {
		return nil, "", err
	}
	lock, err := acquireLock(abs)
	if err != nil {
		return nil, "", err
	}
	moved, err := moveAside(abs, "damaged", time.Now())
	if err != nil {
		return nil, "", errors.Join(err, lock.release())
	}
	s, err := open(ctx, abs, lock, log)
	if err != nil {
		return nil, moved, errors.Join(err, lock.release())
	}
	return s, moved, nil
}

func prepare(path string, log *slog.Logger) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding the data folder: %w", err)
	}
	dir := filepath.Dir(abs)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("creating the data folder: %w", err)
	}
	// Do not change the permissions of an existing folder: it may be shared on purpose. The files in it have mode 0600
	// anyway.
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
		log.Warn("the data folder is open to other users", "folder", dir, "mode", info.Mode().Perm().String())
	}
	return abs, nil
}

func open(ctx context.Context, path string, lock *fileLock, log *slog.Logger) (*Store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", path, err)
	}
	opened, err := f.Stat()
	// Close before SQLite opens the file: a later close would release its POSIX locks.
	if err := errors.Join(err, f.Chmod(0o600), f.Close()); err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", path, err)
	}
	s := &Store{path: path, opened: opened, log: log, lock: lock, recorder: metrics.Recorder{Zone: time.Local}}
	if err := s.connect(ctx); err != nil {
		return nil, errors.Join(toOpenError(path, err), s.closeConnections())
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context) error {
	var err error
	if s.writer, err = sql.Open("sqlite3", dsn(s.path, "_txlock=immediate&_journal_mode=WAL")); err != nil {
		return fmt.Errorf("opening for writing: %w", err)
	}
	s.writer.SetMaxOpenConns(1)
	if err := s.checkAtOpen(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx, s.writer); err != nil {
		return err
	}
	if s.reader, err = sql.Open("sqlite3", dsn(s.path, "_query_only=1")); err != nil {
		return fmt.Errorf("opening for reading: %w", err)
	}
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(readers)
	s.Reader, s.searcher = metrics.NewReader(s.reader), search.NewReader(s.reader)
	s.Scheduled = schedulestore.New(schedulestore.Config{Reader: s.reader, Write: s.write})
	s.Batches = batchstore.New(batchstore.Config{Reader: s.reader, Write: s.write})
	if s.recovery, err = s.closeInterrupted(ctx); err != nil {
		return fmt.Errorf("closing what was running: %w", err)
	}
	return nil
}

// OpenQueue opens a connection to the same file for the tables of the job queue, which writes on its own.
func (s *Store) OpenQueue() (*sql.DB, error) {
	db, err := sql.Open("sqlite3", dsn(s.path, "_txlock=immediate"))
	if err != nil {
		return nil, fmt.Errorf("opening the job queue: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// dsn returns path as a URL for the driver, so that no character in it is read as an option.
func dsn(path, more string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return u.String() + "?_synchronous=FULL&_busy_timeout=5000&_foreign_keys=on&_stmt_cache_size=64&" + more
}

// Path returns the absolute path of the database file.
func (s *Store) Path() string { return s.path }

// Recovery returns what Open found running and marked as interrupted.
func (s *Store) Recovery() Recovery { return s.recovery }

// Close waits for running statements, closes the file and releases its lock.
func (s *Store) Close() error {
	err := s.closeConnections()
	if s.lock != nil {
		err = errors.Join(err, s.lock.release())
	}
	return err
}

func (s *Store) closeConnections() error {
	var errs []error
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	return errors.Join(errs...)
}

// IsGone reports whether another file or none is in the place of the database. SQLite does not notice, and what it
// writes then would be lost.
func (s *Store) IsGone() bool {
	now, err := os.Stat(s.path)
	return err != nil && !errors.Is(err, fs.ErrPermission) || err == nil && !os.SameFile(now, s.opened)
}

// OnFull sets a function that is called with the error of every write that fails for lack of disk space.
func (s *Store) OnFull(full func(error)) { s.full.Store(&full) }

// TryWrite makes a small trial write, to find out whether the disk has space again.
func (s *Store) TryWrite(ctx context.Context) error {
	return s.SetSetting(ctx, "space.tried", time.Now().UTC().Format(time.RFC3339))
}

// write runs do in one transaction on the writing connection. If the disk is full or the file is gone, it stores
// nothing and returns an error that wraps diskspace.ErrFull or ErrGone.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	if s.writer == nil {
		return ErrReadOnly
	}
	var err error
	if s.IsGone() {
		err = diskspace.ErrGone
	} else {
		err = asFull(s.transact(ctx, do))
	}
	if full := s.full.Load(); full != nil && diskspace.IsFull(err) {
		(*full)(err)
	}
	return err
}

func (s *Store) transact(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning to write: %w", err)
	}
	if err := do(tx); err != nil {
		if undo := tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) {
			return errors.Join(err, undo)
		}
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("writing to disk: %w", err)
	}
	return nil
}

// changeOne runs a statement that changes one row. key is the row's key and the first argument of the statement. It
// returns ErrNotFound if the row does not exist; doing and what name the operation and the row in errors.
func (s *Store) changeOne(ctx context.Context, doing, what, statement, key string, more ...any) error {
	var n int64
	err := s.write(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, statement, append([]any{key}, more...)...)
		if err != nil {
			return err
		}
		n, err = done.RowsAffected()
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if n == 0 {
		return fmt.Errorf("%s %q: %w", what, key, ErrNotFound)
	}
	return nil
}
