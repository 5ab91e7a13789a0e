package authoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/panels/manifest"
)

func TestNewOfEveryKind(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			folder, err := CreatePanel(dir, "my-"+kind, kind)
			if err != nil {
				t.Fatal(err)
			}
			if report := manifest.Validate(folder); !report.OK || len(report.Problems) > 0 ||
				report.Title != "My "+kind {
				t.Errorf("%s: %+v", kind, report)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNewRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"", "X", "mcp", "../up", "a/b", strings.Repeat("a", 60)} {
		t.Run(id, func(t *testing.T) {
			if folder, err := CreatePanel(dir, id, ""); err == nil {
				t.Errorf("%q made %s", id, folder)
			}
		})
	}
	if _, err := CreatePanel(dir, "fine", "docker"); err == nil || !strings.Contains(err.Error(),
		"process, declarative, webview") {
		t.Errorf("an unknown kind: %v", err)
	}
	mine := filepath.Join(dir, "mine")
	if err := os.Mkdir(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mine, "manifest.json"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := CreatePanel(dir, "mine", ""); err == nil {
		t.Error("an existing folder was taken")
	}
	if b, err := os.ReadFile(filepath.Join(mine, "manifest.json")); err != nil || string(b) != "mine" {
		t.Errorf("it was changed: %s, %v", b, err)
	}
}

// TestExamplesAreValid judges every folder of docs/examples as a running program would.
func TestExamplesAreValid(t *testing.T) {
	examples, err := filepath.Glob("../../../docs/examples/*")
	if err != nil || len(examples) < 3 {
		t.Fatalf("examples: %v, %v", examples, err)
	}
	for _, dir := range examples {
		if report := manifest.Validate(dir); !report.OK || len(report.Problems) > 0 {
			t.Errorf("%s: %v", dir, report.Problems)
		}
		if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
			t.Errorf("%s has no README.md", dir)
		}
	}
}
