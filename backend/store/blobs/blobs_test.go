package blobs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

func openStore(t *testing.T, limit int64) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	s, err := New(dir, limit)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestOpenReturnsBlobByHash(t *testing.T) {
	s, dir := openStore(t, 0)
	png := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{1}, 2000)...)
	var wg sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		wg.Go(func() { ids[i], _ = s.Put(bytes.NewReader(png)) })
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] || len(id) != 64 {
			t.Fatalf("ids %v", ids)
		}
	}
	f, info, err := s.Open(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, _ := io.ReadAll(f)
	if !bytes.Equal(got, png) || info.Size != int64(len(png)) || info.MIME != "image/png" {
		t.Fatalf("%+v", info)
	}
	if all := files(t, dir); len(all) != 1 {
		t.Fatalf("stored as %v", all)
	}
	if stat, _ := os.Stat(files(t, dir)[0]); stat.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v", stat.Mode())
	}
}

func TestFailedPutLeavesNothing(t *testing.T) {
	s, dir := openStore(t, 100)
	if _, err := s.Put(strings.NewReader(strings.Repeat("x", 101))); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("got %v", err)
	}
	if _, err := s.Put(iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v", err)
	}
	if all := files(t, dir); len(all) != 0 {
		t.Fatalf("left behind: %v", all)
	}
	if _, err := s.Put(strings.NewReader(strings.Repeat("x", 100))); err != nil {
		t.Fatal(err)
	}
}

func TestInvalidIDsAreNotPaths(t *testing.T) {
	s, dir := openStore(t, 0)
	if err := os.WriteFile(filepath.Join(dir, "..", "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{
		"", "../secret", "..", strings.Repeat("a", 63), strings.Repeat("A", 64),
		strings.Repeat("a", 62) + "/x",
	} {
		t.Run(fmt.Sprintf("%q", id), func(t *testing.T) {
			if _, _, err := s.Open(id); !errors.Is(err, ErrNotFound) {
				t.Errorf("%q: got %v", id, err)
			}
		})
	}
	if _, _, err := s.Open(strings.Repeat("a", 64)); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestNewRemovesUnfinishedBlobs(t *testing.T) {
	_, dir := openStore(t, 0)
	if err := os.WriteFile(filepath.Join(dir, tempPrefix+"1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(dir, 0); err != nil {
		t.Fatal(err)
	}
	if all := files(t, dir); len(all) != 0 {
		t.Fatalf("left behind: %v", all)
	}
}
