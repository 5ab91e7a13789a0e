package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a manifest into folder under root.
func put(t *testing.T, root, folder, text string) {
	t.Helper()
	dir := filepath.Join(root, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// minimal is the smallest manifest of panel id with the given further members.
func minimal(id, more string) string {
	return `{"panel_id": "` + id + `", "panel_type": "test", "title": "Test ` + id + `"` + more + `}`
}

func TestValidate(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "notes", minimal("notes", `,"backend":{"kind":"process","command":"no-such-program","args":["main.py"]},
	  "tools":[{"name":"click_element","description":"x","endpoint":"GET /api/notes/x"},{"name":"note_get","description":"x","endpoint":"GET /api/notes/x"}]`))
	report := Validate(filepath.Join(dir, "notes"), "click_element")
	var all []string
	for _, p := range report.Problems {
		all = append(all, p.String())
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{
		"tool click_element is off", "the program no-such-program is not found",
		"main.py is not in the folder",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if report.OK || len(report.Tools) != 1 {
		t.Errorf("got %+v", report)
	}
	put(t, dir, "broken", "{")
	if report := Validate(filepath.Join(dir, "broken")); report.OK || report.Problems[0].Line != 1 {
		t.Errorf("got %+v", report)
	}
	if report := Validate(filepath.Join(dir, "nowhere")); report.OK ||
		!strings.Contains(report.Problems[0].Text, "is not a folder") {
		t.Errorf("got %+v", report)
	}
}
