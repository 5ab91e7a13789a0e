// Package backups keeps a copy of the database, and of the notes and recipes beside it, for each of the last days, and
// restores one. A running program owns its database, so the window only requests a restore; the next start makes it
// before the database is opened.
//
// A Folder is safe for concurrent use by one process.
package backups

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/store/audit"
	"sextant/backend/store/diskspace"
	"sextant/backend/store/sqlite"
)

// maxBackups is how many days have a backup. interval is how often Run looks whether today has one, the first time
// after delay, so that a start is not slower.
const (
	maxBackups = 7
	interval   = time.Hour
	delay      = 10 * time.Second
)

const (
	prefix, suffix = "sextant-", ".db"
	// requestFile names the backup that the next start restores.
	requestFile = "restore-at-start"
)

// ErrNotFound is returned for the name of a backup that does not exist.
var ErrNotFound = errors.New("there is no such backup")

// folders are the folders beside the database that are backed up with it.
var folders = []string{"notes", "recipes"}

// Folder is the folder of the backups of one database.
type Folder struct {
	path, database string
	making         *sync.Mutex
}

// New returns the folder path with the backups of the database file. It need not exist.
func New(path, database string) Folder { return Folder{path, database, &sync.Mutex{}} }

// Path returns the path of the folder.
func (f Folder) Path() string { return f.path }

// Backup is one copy of the database.
type Backup struct {
	// Name is the day of the backup, "2026-11-27".
	Name string `json:"name"`
	// Time is when it was finished.
	Time time.Time `json:"time"`
	// Size is in bytes.
	Size int64 `json:"size"`
}

// List returns the backups, the newest first.
func (f Folder) List() ([]Backup, error) {
	entries, err := os.ReadDir(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the backups: %w", err)
	}
	all := []Backup{}
	for _, e := range entries {
		day, found := strings.CutPrefix(strings.TrimSuffix(e.Name(), suffix), prefix)
		if _, err := time.Parse(time.DateOnly, day); !found || err != nil || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, Backup{Name: day, Time: info.ModTime(), Size: info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b Backup) int { return strings.Compare(b.Name, a.Name) })
	return all, nil
}

func (f Folder) file(name string) string { return filepath.Join(f.path, prefix+name+suffix) }

// files returns the path of the copies of folders.
func (f Folder) files(name string) string { return filepath.Join(f.path, prefix+name+".files") }

// beside returns the path of a folder beside the database.
func (f Folder) beside(folder string) string { return filepath.Join(filepath.Dir(f.database), folder) }

// Make backs up the database for the day of now, replaces that day's backup, and deletes those beyond the last seven.
func (f Folder) Make(ctx context.Context, store *sqlite.Store, now time.Time) error {
	if store.IsGone() { // SQLite would create an empty file in its place, and back that up
		return fmt.Errorf("backing up: %w", diskspace.ErrGone)
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return fmt.Errorf("creating the folder of the backups: %w", err)
	}
	f.making.Lock()
	defer f.making.Unlock()
	day := now.Format(time.DateOnly)
	// The database is last: a day that has one is done.
	if err := f.copyFiles(day); err != nil {
		return fmt.Errorf("backing up notes and recipes: %w", err)
	}
	if err := store.Backup(ctx, f.file(day)); err != nil {
		return err
	}
	all, err := f.List()
	if err != nil {
		return err
	}
	for _, old := range all[min(maxBackups, len(all)):] {
		if err := errors.Join(os.RemoveAll(f.files(old.Name)), os.Remove(f.file(old.Name))); err != nil {
			return fmt.Errorf("deleting an old backup: %w", err)
		}
	}
	return nil
}

// copyFiles replaces the copies of a day. The old ones are deleted when the new ones are whole.
func (f Folder) copyFiles(day string) error {
	next, old := f.files(day)+".new", f.files(day)+".old"
	f.recoverFiles(day)
	err := errors.Join(os.RemoveAll(next), os.RemoveAll(old), os.MkdirAll(next, 0o700))
	for _, folder := range folders {
		if err == nil {
			err = copyFolder(filepath.Join(next, folder), f.beside(folder))
		}
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.files(day), old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.Rename(next, f.files(day)), os.RemoveAll(old))
}

// recoverFiles puts the old copies of a day back that a kill between the two renames of copyFiles left aside.
func (f Folder) recoverFiles(day string) {
	if _, err := os.Stat(f.files(day)); errors.Is(err, fs.ErrNotExist) {
		_ = os.Rename(f.files(day)+".old", f.files(day)) // usually there are none
	}
}

// copyFolder copies the regular files of a folder with their permissions and times. Those that are deleted meanwhile or
// cannot be read are left out, so that they do not keep the rest from being backed up. A folder that does not exist is
// not copied.
func copyFolder(to, from string) error {
	from, err := filepath.EvalSymlinks(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		copied := filepath.Join(to, strings.TrimPrefix(path, from))
		if err == nil && entry.IsDir() {
			return os.MkdirAll(copied, 0o700)
		}
		if err == nil && entry.Type().IsRegular() {
			err = copyFile(copied, path)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	})
}

func copyFile(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, content, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// Run makes the backup of each day until ctx ends. failed is called with every error; Run tries again after an hour.
func (f Folder) Run(ctx context.Context, store *sqlite.Store, failed func(error)) {
	for wait := delay; ; wait = interval {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		now := time.Now()
		if _, err := os.Stat(f.file(now.Format(time.DateOnly))); err != nil {
			if err := f.Make(ctx, store, now); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}

// Find returns the backup with this name, or ErrNotFound.
func (f Folder) Find(name string) (Backup, error) {
	all, err := f.List()
	if err != nil {
		return Backup{}, err
	}
	for _, b := range all {
		if b.Name == name {
			return b, nil
		}
	}
	return Backup{}, ErrNotFound
}

// Restore replaces the database and the files by a backup; see sqlite.Restore. The files that it replaces are kept
// beside them, as the database is. A folder without a copy, as in backups of older versions, stays.
func (f Folder) Restore(ctx context.Context, name string) (replaced string, err error) {
	if _, err := f.Find(name); err != nil {
		return "", err
	}
	f.recoverFiles(name)
	// The copies are made beside the folders that they replace, which may be on another disk.
	ready := map[string]string{}
	defer func() {
		for _, next := range ready {
			err = errors.Join(err, os.RemoveAll(next))
		}
	}()
	for _, folder := range folders {
		from, to := filepath.Join(f.files(name), folder), f.beside(folder)
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if target, err := filepath.EvalSymlinks(to); err == nil {
			to = target
		}
		ready[to] = to + ".restoring"
		if err := errors.Join(os.RemoveAll(ready[to]), copyFolder(ready[to], from)); err != nil {
			return "", fmt.Errorf("restoring %s: %w", folder, err)
		}
	}
	if replaced, err = sqlite.Restore(ctx, f.database, f.file(name)); err != nil {
		return replaced, err
	}
	errs := []error{audit.ResetHead(filepath.Dir(f.database))}
	suffix := time.Now().UTC().Format(".replaced-20060102T150405.000Z")
	for to, next := range ready {
		if err := os.Rename(to, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, os.Rename(next, to))
	}
	if err := errors.Join(errs...); err != nil {
		return replaced, fmt.Errorf("conversations and settings are restored, but not everything else: %w", err)
	}
	return replaced, nil
}

// Request makes the next start restore a backup. The name "" withdraws the request.
func (f Folder) Request(name string) error {
	file := filepath.Join(f.path, requestFile)
	if name == "" {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("withdrawing the request: %w", err)
		}
		return nil
	}
	if _, err := f.Find(name); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
		return fmt.Errorf("requesting the backup: %w", err)
	}
	return nil
}

// Requested returns the name of the backup that the next start restores, "" for none.
func (f Folder) Requested() string {
	name, err := os.ReadFile(filepath.Join(f.path, requestFile))
	if err != nil {
		return ""
	}
	return string(name)
}

// RestoreRequested restores the requested backup, if any, and withdraws the request, also if it fails. While another
// process owns the database, it does nothing. Call it before the database is opened.
func (f Folder) RestoreRequested(ctx context.Context) (name, replaced string, err error) {
	if name = f.Requested(); name == "" {
		return "", "", nil
	}
	if err := f.Request(""); err != nil {
		return name, "", err
	}
	if replaced, err = f.Restore(ctx, name); errors.Is(err, sqlite.ErrLocked) {
		return "", "", f.Request(name)
	}
	return name, replaced, err
}

// Prepare restores the requested backup, if any, and then returns the error of CheckLost.
func (f Folder) Prepare(ctx context.Context, log *slog.Logger) error {
	if day, replaced, err := f.RestoreRequested(ctx); err != nil {
		log.Error("the backup was not restored, or not completely", "backup", day, "replaced", replaced, "err", err)
	} else if day != "" {
		log.Info("a backup was restored", "backup", day, "replaced", replaced)
	}
	return f.CheckLost()
}

// CheckLost returns an error for sqlite.ErrDamaged if the database is missing or empty although it has backups, so that
// nobody mistakes the loss for a new start.
func (f Folder) CheckLost() error {
	info, err := os.Stat(f.database)
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it tells what is wrong
	}
	all, err := f.List()
	if err != nil || len(all) == 0 {
		return nil
	}
	return &sqlite.OpenError{
		Path: f.database, Kind: sqlite.ErrDamaged,
		Detail: "it is missing or empty, and there is a backup of " + all[0].Name,
	}
}
