package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewFileIsPrivateAndMigrated(t *testing.T) {
	s := openNew(t)
	for path, want := range map[string]os.FileMode{filepath.Dir(s.Path()): 0o700, s.Path(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s is %v, want %v", path, info.Mode().Perm(), want)
		}
	}
	var mode string
	var sync, keys int
	for pragma, into := range map[string]any{"journal_mode": &mode, "synchronous": &sync, "foreign_keys": &keys} {
		if err := s.writer.QueryRow("PRAGMA " + pragma).Scan(into); err != nil {
			t.Fatal(err)
		}
	}
	if mode != "wal" || sync != 2 || keys != 1 {
		t.Fatalf("journal_mode %s, synchronous %d, foreign_keys %d", mode, sync, keys)
	}
	if diff := cmp.Diff(Recovery{}, s.Recovery()); diff != "" {
		t.Fatalf("something was running in a new file (-want +got):\n%s", diff)
	}
}

func TestEmptyFileIsNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sextant.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	if err := s.SetSetting(context.Background(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v", info.Mode())
	}
}

func TestPathWithSpecialCharacters(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "a b?mode=memory&x#y%20", "däta.db"))
	if _, err := os.Stat(s.Path()); err != nil {
		t.Fatalf("the file is not where it was named: %v", err)
	}
	if err := s.SetSetting(context.Background(), "a", "b"); err != nil {
		t.Fatal(err)
	}
}

func TestLockedFileNamesOwner(t *testing.T) {
	s := openNew(t)
	_, err := Open(context.Background(), s.Path(), discardLog())
	var why *OpenError
	if !errors.Is(err, ErrLocked) || !errors.As(err, &why) || why.Path != s.Path() {
		t.Fatalf("got %v", err)
	}
	if _, _, err := OpenFresh(context.Background(), s.Path(), discardLog()); !errors.Is(err, ErrLocked) {
		t.Fatalf("OpenFresh took a file that is in use: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openAt(t, s.Path())
}

func TestDamagedFileIsReportedAndUnchanged(t *testing.T) {
	ctx := context.Background()
	for name, damage := range map[string]func([]byte) []byte{
		"not a database": func([]byte) []byte { return []byte(strings.Repeat("these are my notes\n", 500)) },
		"cut short":      func(b []byte) []byte { return b[:len(b)/2] },
		"overwritten": func(b []byte) []byte {
			copy(b[4096:], bytes.Repeat([]byte{0xAA}, len(b)-4096))
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			for i := range 200 {
				if err := s.SetSetting(ctx, strings.Repeat("k", i+1), strings.Repeat("v", 200)); err != nil {
					t.Fatal(err)
				}
			}
			path := s.Path()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			broken := damage(whole)
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = Open(ctx, path, discardLog())
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v", err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, broken) {
				t.Fatal("the damaged file was changed")
			}
			newOne, kept, err := OpenFresh(ctx, path, discardLog())
			if err != nil {
				t.Fatal(err)
			}
			defer newOne.Close()
			if now, _ := os.ReadFile(kept); !bytes.Equal(now, broken) || !strings.Contains(kept, ".damaged-") {
				t.Fatalf("the damaged file is not complete at %q", kept)
			}
			if all, err := newOne.Settings(ctx); err != nil || len(all) != 0 {
				t.Fatalf("the new file holds %v, %v", all, err)
			}
		})
	}
}

func TestFileOfNewerVersionIsUnchanged(t *testing.T) {
	s := openNew(t)
	path := s.Path()
	if _, err := s.writer.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9000, 1)`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), path, discardLog()); !errors.Is(err, ErrNewer) {
		t.Fatalf("got %v", err)
	}
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow(`SELECT COUNT(*) FROM events`).Scan(&n); err != nil {
		t.Fatalf("the file is no longer readable: %v", err)
	}
}

func TestReadOnlyFolderIsPlainError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), filepath.Join(file, "sextant.db"), discardLog())
	if err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, ErrLocked) {
		t.Fatalf("got %v", err)
	}
}
