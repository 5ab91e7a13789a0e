package panels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/tools/panels/manifest"
)

func TestAScaffoldedPanelIsValidAndWorks(t *testing.T) {
	r, _, root := started(t, nil)
	folder, err := Scaffold(root, "field-notes")
	if err != nil {
		t.Fatal(err)
	}
	if report := manifest.Validate(folder); !report.OK || len(report.Problems) > 0 || len(report.Tools) != 2 || report.Title != "Field notes" {
		t.Errorf("got %+v", report)
	}
	waitFor(t, r, "field-notes")
	if text := mustSucceed(t, call(t, r, "field_notes_add", `{"text":"Water the thyme"}`)); text != `{"count":1}` {
		t.Errorf("got %s", text)
	}
	if text := mustSucceed(t, call(t, r, "field_notes_list", `{}`)); !strings.Contains(text, "Water the thyme") {
		t.Errorf("got %s", text)
	}
}

func TestScaffoldRefusesBadIdsAndTouchesNothingThatExists(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"", "X", "mcp", "../up", "a/b", strings.Repeat("a", 60)} {
		if folder, err := Scaffold(dir, id); err == nil {
			t.Errorf("%q made %s", id, folder)
		}
	}
	put(t, dir, "mine", map[string]string{"manifest.json": "mine"})
	if _, err := Scaffold(dir, "mine"); err == nil {
		t.Error("an existing folder was taken")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "mine", "manifest.json")); err != nil || string(b) != "mine" {
		t.Errorf("it was changed: %s, %v", b, err)
	}
}
