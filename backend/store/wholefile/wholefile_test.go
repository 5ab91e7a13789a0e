package wholefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestConcurrentWritesLeaveOneWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	var writing sync.WaitGroup
	for i := range 20 {
		writing.Go(func() {
			if err := Write(path, []byte(strings.Repeat(fmt.Sprint(i%10), 10_000)), 0o600); err != nil {
				t.Error(err)
			}
		})
	}
	writing.Wait()
	text, err := os.ReadFile(path)
	if err != nil || len(text) != 10_000 || strings.Trim(string(text), string(text[:1])) != "" {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	checkOnly(t, dir, "state.json")
}

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("x"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := Write(filepath.Join(dir, "missing", "file"), nil, 0o600); err == nil {
		t.Error("a file without its folder was written")
	}
	checkOnly(t, dir, "folder")
}

func checkOnly(t *testing.T, dir, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != want {
		t.Errorf("%v, %v", entries, err)
	}
}
