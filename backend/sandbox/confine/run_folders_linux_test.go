package confine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAvailableRemovesOnlyStaleRunFolders(t *testing.T) {
	parent := t.TempDir()
	stale, err := makeRunFolders(parent)
	if err != nil {
		t.Fatal(err)
	}
	// As a command leaves it that revoked permissions and created a symlink.
	locked, outside := filepath.Join(stale.tmp, "locked"), filepath.Join(parent, "outside")
	for _, dir := range []string{locked, outside, parent + "/sextant-run-foreign", parent + "/other"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(locked+"/f", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(outside+"/f", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{stale.tmp + "/link", parent + "/sextant-run-link"} {
		if err := os.Symlink(outside, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	_ = stale.lock.Close() // what the kernel does when a Sextant is killed
	used, err := makeRunFolders(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer used.lock.Close()

	New(Config{TempDir: parent}).Available()

	if _, err := os.Lstat(stale.base); !os.IsNotExist(err) {
		t.Errorf("the stale folder still exists: %v", err)
	}
	for _, path := range []string{used.tmp, outside + "/f", parent + "/sextant-run-link", parent +
		"/sextant-run-foreign", parent + "/other"} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("it removed too much: %v", err)
		}
	}
}
