package attachment_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/attachment"
)

func TestPathsOfDisk(t *testing.T) {
	s, _ := newStore(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f, err := s.AddPath(t.Context(), write("notes.txt", "saffron"))
	if err != nil || f.Name != "notes.txt" || f.Size != 7 {
		t.Errorf("%+v %v", f, err)
	}
	write("tree/a/b/c/deep.txt", "x")
	write("tree/top.txt", "x")
	f, err = s.AddPath(t.Context(), filepath.Join(dir, "tree"))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := s.ReadFrom(t.Context(), f, 0)
	if err != nil || text != "Folder tree\na/\na/b/\na/b/c/\ntop.txt\n" {
		t.Errorf("%q %v", text, err)
	}
	for i := range 1000 + 5 {
		write(fmt.Sprintf("many/%04d", i), "")
	}
	f, err = s.AddPath(t.Context(), filepath.Join(dir, "many"))
	if err != nil {
		t.Fatal(err)
	}
	if text, _, _ = s.ReadFrom(t.Context(), f, 0); !strings.HasSuffix(text, "0999\n… only the first 1000 names\n") {
		t.Errorf("…%q", text[max(0, len(text)-60):])
	}
	large := write("large.txt", "")
	if err := os.Truncate(large, attachment.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "absent"): "cannot be read", write("empty.txt", ""): "is empty", large: "larger than 20 MB",
		"/dev/zero": "is not a file",
	} {
		var refused *attachment.RefusedError
		_, err := s.AddPath(t.Context(), path)
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
