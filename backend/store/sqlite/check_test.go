package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLargeDatabaseIsCheckedAfterItWasOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sextant.db")
	s := openAt(t, path)
	if s.Unchecked() {
		t.Error("a new database was not checked")
	}
	if _, err := s.writer.Exec(`INSERT INTO settings (key, value, updated) VALUES ('large', randomblob(?), 0)`,
		2*maxCheckedAtOpen); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if err := s.Check(t.Context()); !s.Unchecked() || err != nil {
		t.Errorf("unchecked %v, %v", s.Unchecked(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte("damage"), 4096), maxCheckedAtOpen)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if err := s.Check(t.Context()); !errors.Is(err, ErrDamaged) {
		t.Errorf("the check of a damaged database: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Open(t.Context(), path, discardLog()); !errors.Is(err, ErrDamaged) {
			t.Fatalf("opening it again: %v", err)
		}
	}
	fresh, _, err := OpenFresh(t.Context(), path, discardLog())
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
