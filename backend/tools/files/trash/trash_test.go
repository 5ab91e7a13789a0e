package trash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestItemsAreRemovedAfterThirtyDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := New(filepath.Join(t.TempDir(), "trash"), func() time.Time { return now })
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	put := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Put(root, name, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put("old")
	now = now.Add(29 * 24 * time.Hour)
	put("middle")
	now = now.Add(2 * 24 * time.Hour)
	put("new")
	var names []string
	for _, item := range c.Items() {
		names = append(names, item.Name)
	}
	if s := strings.Join(names, " "); s != "new middle" {
		t.Error(s)
	}
}

// A copy is what a move to another disk is made of; one disk is enough to see that it is whole.
func TestCopyAcrossFileSystemsIsBounded(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"a/run.sh": "#!/bin/sh", "a/b/c.txt": "c"} {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(from, "a/link")); err != nil {
		t.Fatal(err)
	}
	a, err := os.OpenRoot(from)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := os.OpenRoot(to)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	small := budget{bytes: 3, entries: 100}
	if err := small.copy(a, "a", b, "small"); err == nil {
		t.Error("more was copied than may be")
	}
	if err := copyAcross(a, "a", b, "thing"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "thing/b/c.txt")); err != nil || string(text) != "c" {
		t.Errorf("%q %v", text, err)
	}
	if info, err := os.Stat(filepath.Join(to, "thing/run.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("%v %v", info, err)
	}
	if link, err := os.Readlink(filepath.Join(to, "thing/link")); err != nil || link != "/etc" {
		t.Errorf("%q %v", link, err)
	}
	if _, err := os.Lstat(filepath.Join(from, "a")); !os.IsNotExist(err) {
		t.Error("the original is still there")
	}
}
