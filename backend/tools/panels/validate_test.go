package panels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAScaffoldedPanelIsValidAndWorks(t *testing.T) {
	r, _, root := started(t, nil)
	folder, err := Scaffold(root, "field-notes")
	if err != nil {
		t.Fatal(err)
	}
	if report := Validate(folder); !report.OK || len(report.Problems) > 0 || len(report.Tools) != 2 || report.Title != "Field notes" {
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

func TestValidateFindsWhatWouldKeepAPanelOff(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "notes", map[string]string{manifestName: minimal("notes", `,"backend":{"kind":"process","command":"no-such-program","args":["main.py"]},
	  "tools":[{"name":"click_element","description":"x","endpoint":"GET /api/notes/x"},{"name":"note_get","description":"x","endpoint":"GET /api/notes/x"}]`)})
	report := Validate(filepath.Join(dir, "notes"), "click_element")
	var all []string
	for _, p := range report.Problems {
		all = append(all, p.String())
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{"tool click_element is off", "the program no-such-program is not found", "main.py is not in the folder"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if report.OK || len(report.Tools) != 1 {
		t.Errorf("got %+v", report)
	}
	put(t, dir, "broken", map[string]string{manifestName: "{"})
	if report := Validate(filepath.Join(dir, "broken")); report.OK || report.Problems[0].Line != 1 {
		t.Errorf("got %+v", report)
	}
	if report := Validate(filepath.Join(dir, "nowhere")); report.OK || !strings.Contains(report.Problems[0].Text, "is not a folder") {
		t.Errorf("got %+v", report)
	}
}
