package trash

import (
	"errors"
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
}

func TestPutFromAnotherFileSystem(t *testing.T) {
	t.Parallel()
	outside, err := os.MkdirTemp("/dev/shm", "trash")
	if err != nil {
		t.Skip("there is no /dev/shm:", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(outside) })
	if err := os.WriteFile(filepath.Join(outside, "a"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(outside, "a"), filepath.Join(t.TempDir(), "a")); !crossDevice(err) {
		t.Skip("/dev/shm is not another file system:", err)
	}
	from, err := os.OpenRoot(outside)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	bin := New(filepath.Join(t.TempDir(), "trash"), time.Now)

	item, err := bin.Put(from, "a", filepath.Join(outside, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Lstat("a"); !os.IsNotExist(err) {
		t.Error("the original is still there:", err)
	}
	if err := bin.Restore(item.ID, from, "a"); err != nil {
		t.Fatal(err)
	}
	if items := bin.Items(); len(items) != 0 {
		t.Error("restored, but still in the trash:", items)
	}

	// The opened folder itself can be copied but not removed.
	if _, err := bin.Put(from, ".", outside); !errors.Is(err, errNotRemoved) {
		t.Fatal(err)
	}
	items := bin.Items()
	if len(items) != 1 {
		t.Fatal("the copy is not in the trash:", items)
	}
	if text, err := os.ReadFile(filepath.Join(bin.dir, items[0].ID, contentName, "a")); string(text) != "text" {
		t.Errorf("the copy contains %q %v", text, err)
	}
}
