package backups

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/store/diskspace"
	"sextant/backend/store/sqlite"
)

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// set stores what the tests recognise a state of the database by.
func set(t *testing.T, s *sqlite.Store, value string) {
	t.Helper()
	if err := s.SetSetting(t.Context(), "state", value); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s *sqlite.Store) string {
	t.Helper()
	value, _, err := s.Setting(t.Context(), "state")
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func day(n int) time.Time { return time.Date(2026, 11, n, 23, 0, 0, 0, time.Local) }

func names(t *testing.T, f Folder) (all []string) {
	t.Helper()
	list, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		if b.Size == 0 {
			t.Errorf("%s is empty", b.Name)
		}
		all = append(all, b.Name)
	}
	return all
}

func TestKeepsOneBackupForEachOfSevenDays(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "sextant.db"))
	f := New(filepath.Join(dir, "backups"), s.Path())
	for n := 1; n <= 9; n++ {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if err := f.Make(t.Context(), s, day(n)); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	want := []string{"2026-11-09", "2026-11-08", "2026-11-07", "2026-11-06", "2026-11-05", "2026-11-04", "2026-11-03"}
	if diff := cmp.Diff(want, names(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if info, err := os.Stat(f.file("2026-11-09")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestRequestedBackupIsRestoredAtNextStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sextant.db")
	s := open(t, path)
	f := New(filepath.Join(dir, "backups"), path)
	set(t, s, "good")
	if err := f.Make(t.Context(), s, day(1)); err != nil {
		t.Fatal(err)
	}
	set(t, s, "spoiled")
	if err := f.Request("2026-11-30"); !errors.Is(err, ErrNotFound) {
		t.Errorf("of a day without a backup: %v", err)
	}
	if err := f.Request("2026-11-01"); err != nil || f.Requested() != "2026-11-01" {
		t.Fatalf("requested %q, error %v", f.Requested(), err)
	}
	if _, err := f.Restore(t.Context(), "2026-11-01"); !errors.Is(err, sqlite.ErrLocked) {
		t.Errorf("while the database is open: %v", err)
	}
	if name, _, err := f.RestoreRequested(t.Context()); name != "" || err != nil || f.Requested() == "" {
		t.Errorf("by a second process: %q, %v, then requested %q", name, err, f.Requested())
	}
	_ = s.Close()
	name, replaced, err := f.RestoreRequested(t.Context())
	if err != nil || name != "2026-11-01" || replaced == "" {
		t.Fatalf("%q, %q, %v", name, replaced, err)
	}
	if got := get(t, open(t, path)); got != "good" {
		t.Errorf("restored %q", got)
	}
	if got := get(t, open(t, replaced)); got != "spoiled" {
		t.Errorf("what was replaced is %q", got)
	}
	if name, _, err := f.RestoreRequested(t.Context()); name != "" || err != nil {
		t.Errorf("again: %q, %v", name, err)
	}
}

func TestDamagedBackupReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sextant.db")
	s := open(t, path)
	f := New(filepath.Join(dir, "backups"), path)
	set(t, s, "good")
	if err := f.Make(t.Context(), s, day(1)); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	file := f.file("2026-11-01")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(b[:4096:4096], bytes.Repeat([]byte{7}, len(b)-4096)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Restore(t.Context(), "2026-11-01"); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("%v", err)
	}
	if got := get(t, open(t, path)); got != "good" {
		t.Errorf("%q", got)
	}
}

func TestLostDatabaseIsNoNewStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sextant.db")
	f := New(filepath.Join(dir, "backups"), path)
	if err := f.CheckLost(); err != nil {
		t.Errorf("a new folder: %v", err)
	}
	s := open(t, path)
	if err := f.Make(t.Context(), s, day(1)); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if err := f.CheckLost(); err != nil {
		t.Errorf("with its database: %v", err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.CheckLost(); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("empty: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := f.CheckLost(); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("missing: %v", err)
	}
}

func TestBackupGoesOnWhileTheDatabaseIsWritten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "sextant.db"))
	f := New(filepath.Join(dir, "backups"), s.Path())
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan int)
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			if err := s.SetSetting(t.Context(), "state", "x"); err != nil {
				t.Error(err)
			}
		}
		written <- n
	}()
	for n := 1; n <= 5; n++ {
		if err := f.Make(t.Context(), s, day(n)); err != nil {
			t.Error(err)
		}
	}
	stop()
	if n := <-written; n < 5 {
		t.Errorf("only %d writes during five backups", n)
	}
	for _, name := range names(t, f) {
		if _, err := f.Find(name); err != nil {
			t.Error(err)
		}
	}
}

func TestNotesAndRecipesAreRestored(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sextant.db")
	s := open(t, path)
	f := New(filepath.Join(dir, "backups"), path)
	recipe, note := filepath.Join(dir, "recipes", "order", "recipe.json"), filepath.Join(dir, "notes", "Ideas.md")
	write := func(file, text string) {
		t.Helper()
		err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(file string) string {
		text, _ := os.ReadFile(file)
		return string(text)
	}
	write(recipe, "old")
	written := time.Date(2026, 11, 1, 2, 3, 4, 0, time.UTC)
	if err := syscall.Mkfifo(filepath.Join(dir, "recipes", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second replaces the first of the day
		write(recipe, "good")
		if err := os.Chtimes(recipe, written, written); err != nil {
			t.Fatal(err)
		}
		if err := f.Make(t.Context(), s, day(1)); err != nil {
			t.Fatal(err)
		}
	}
	write(recipe, "spoiled")
	write(note, "written later")
	if err := os.Rename(filepath.Join(dir, "recipes"), filepath.Join(dir, "synced")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("synced", filepath.Join(dir, "recipes")); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if _, err := f.Restore(t.Context(), "2026-11-01"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(recipe); err != nil || info.Mode().Perm() != 0o600 || !info.ModTime().Equal(written) {
		t.Errorf("%v %v", info, err)
	}
	if read(recipe) != "good" || read(note) != "written later" {
		t.Errorf("recipe %q, note %q", read(recipe), read(note))
	}
	kept, err := filepath.Glob(filepath.Join(dir, "synced.replaced-*", "order", "recipe.json"))
	if err != nil || len(kept) != 1 || read(kept[0]) != "spoiled" {
		t.Errorf("what was replaced is %q, %v", kept, err)
	}
	s = open(t, path)
	for n := 2; n <= 8; n++ {
		if err := f.Make(t.Context(), s, day(n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(f.files("2026-11-01")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the files of the oldest backup: %v", err)
	}
}

// A backup of a folder that was moved away must not replace the good one by an empty one.
func TestMovedDatabaseIsNotBackedUp(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	s := open(t, filepath.Join(data, "sextant.db"))
	f := New(filepath.Join(data, "backups"), s.Path())
	set(t, s, "good")
	if err := f.Make(t.Context(), s, day(1)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(f.file(names(t, f)[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.Path(), s.Path()+".away"); err != nil {
		t.Fatal(err)
	}
	if err := f.Make(t.Context(), s, day(1)); !errors.Is(err, diskspace.ErrGone) {
		t.Errorf("only the database is gone: %v", err)
	}
	if after, err := os.ReadFile(f.file(names(t, f)[0])); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the good backup was replaced: %v", err)
	}
	if err := os.Rename(data, data+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := f.Make(t.Context(), s, day(1)); !errors.Is(err, diskspace.ErrGone) {
		t.Errorf("the folder is gone: %v", err)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a new folder is in its place: %v", err)
	}
}
