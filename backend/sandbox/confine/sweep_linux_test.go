package confine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatARunOfAKilledSextantLeftIsWipedAndWhatOthersUseIsNot(t *testing.T) {
	parent := t.TempDir()
	left, err := makeRooms(parent)
	if err != nil {
		t.Fatal(err)
	}
	// As a command left it that closed a folder and put a link there.
	closed, outside := filepath.Join(left.tmp, "closed"), filepath.Join(parent, "outside")
	for _, dir := range []string{closed, outside, parent + "/sextant-run-foreign", parent + "/other"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(closed+"/f", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(outside+"/f", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{left.tmp + "/link", parent + "/sextant-run-link"} {
		if err := os.Symlink(outside, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	_ = left.held.Close() // what the kernel does when a Sextant is killed
	used, err := makeRooms(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer used.held.Close()

	New(Config{TempDir: parent}).Available()

	if _, err := os.Lstat(left.base); !os.IsNotExist(err) {
		t.Errorf("what was left is still there: %v", err)
	}
	for _, kept := range []string{used.tmp, outside + "/f", parent + "/sextant-run-link", parent +
		"/sextant-run-foreign", parent + "/other"} {
		if _, err := os.Lstat(kept); err != nil {
			t.Errorf("it wiped more than what was left: %v", err)
		}
	}
}
