package history

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSweepRemovesOnlyTemporaryFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left, other := tempName("notes.txt"), tempName("another.txt")
	keep := []string{
		"notes.txt", ".notes.txt.sextant-mine", ".notes.txt.sextant-abcdefghij.bak",
		"notes.txt.sextant-abcdefghij", other,
	}
	for _, name := range append(keep, left) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep([]string{filepath.Join(dir, "notes.txt"), filepath.Join(dir, "gone", "away.txt")}); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	slices.Sort(keep)
	slices.Sort(names)
	if diff := cmp.Diff(keep, names); diff != "" {
		t.Fatalf("files left (-want +got):\n%s", diff)
	}
}
