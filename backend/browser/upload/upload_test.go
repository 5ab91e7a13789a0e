package upload

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStoreKeepsNamesInsideItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "uploads")
	if err := os.MkdirAll(filepath.Join(dir, "left"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.png": "a.png", "../../b": "b", "..": "file", "": "file", "/etc/passwd": "passwd", "c\x00d": "cd",
	} {
		id, err := s.Add(name, []byte("x"))
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if got := s.Path(id); filepath.Base(got) != want || filepath.Dir(got) != filepath.Join(dir, id) {
			t.Errorf("%q is stored at %s", name, got)
		}
	}
	if s.Path("unknown") != "" {
		t.Error("an unknown id has a path")
	}
	if _, err := os.Stat(filepath.Join(dir, "left")); err == nil {
		t.Error("what an earlier run left is still there")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}
