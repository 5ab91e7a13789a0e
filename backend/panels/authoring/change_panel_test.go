package authoring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func (h *harness) call(tool string, args map[string]any) toolspec.Result {
	h.t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := h.Execute(h.t.Context(), toolspec.Call{Tool: tool, Args: text}, toolspec.Definition{}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *harness) file(name string) string {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.folder, filepath.FromSlash(name)))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

func TestReadAndChangePanel(t *testing.T) {
	w := newHarness(t)
	if r := w.make(map[string]any{"panel_id": "shopping-list", "template": "list"}); !r.Success {
		t.Fatalf("making: %+v", r)
	}
	listed := w.call(readName, map[string]any{"panel_id": "shopping-list"})
	for _, name := range []string{"manifest.json", "page.json", "backend.js"} {
		if !strings.Contains(listed.Text, name) {
			t.Errorf("%s is not listed in %q", name, listed.Text)
		}
	}
	if strings.Contains(listed.Text, marker) || strings.Contains(listed.Text, "Problem") {
		t.Errorf("listed %q", listed.Text)
	}
	read := w.call(readName, map[string]any{"panel_id": "shopping-list", "path": "manifest.json"})
	if read.Text != w.file("shopping-list/manifest.json") || len(read.Sources) != 1 {
		t.Errorf("read %+v", read)
	}

	change := map[string]any{
		"panel_id": "shopping-list", "path": "manifest.json", "old": `"title": "Shopping list"`,
		"new": `"title": "Groceries"`, "files": map[string]string{"notes/why.txt": "x\n"},
	}
	text, err := json.Marshal(change)
	if err != nil {
		t.Fatal(err)
	}
	d := w.Describe(toolspec.Call{Tool: changeName, Args: text})
	for _, words := range []string{
		`-  "title": "Shopping list"`, `+  "title": "Groceries"`, "notes/why.txt",
		"Answers by: script",
	} {
		if !strings.Contains(d.Data, words) {
			t.Errorf("%q is not shown in:\n%s", words, d.Data)
		}
	}
	if r := w.call(changeName, change); !r.Success || !strings.Contains(r.Sentence, "Groceries") {
		t.Fatalf("changing: %+v", r)
	}
	for _, panel := range w.reg.Panels() {
		if panel.ID == "shopping-list" && (panel.Title != "Groceries" || !panel.Usable || panel.Pending != nil) {
			t.Errorf("it runs as %+v", panel)
		}
	}
	if r := w.call(changeName, map[string]any{
		"panel_id": "shopping-list",
		"remove":   []string{"notes/why.txt"},
	}); !r.Success {
		t.Fatalf("removing: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(w.folder, "shopping-list", "notes")); !os.IsNotExist(err) {
		t.Errorf("the removed file's folder: %v", err)
	}
	if r := w.call(readName, map[string]any{"panel_id": "shopping-list"}); !r.Success {
		t.Errorf("after a change it is no longer the assistant's: %+v", r)
	}
}

func TestInvalidChangeWritesNothing(t *testing.T) {
	w := newHarness(t)
	if r := w.make(map[string]any{"panel_id": "chores", "template": "board"}); !r.Success {
		t.Fatalf("making: %+v", r)
	}
	was := w.file("chores/manifest.json")
	for name, change := range map[string]map[string]any{
		"old does not occur":        {"path": "index.html", "old": "no such words", "new": "x"},
		"old occurs":                {"path": "manifest.json", "old": "\"", "new": "x"},
		"content or old is missing": {"path": "manifest.json"},
		"path of the file":          {"content": "x"},
		"nothing would change":      {"path": "manifest.json", "content": was},
		"not a valid file name":     {"files": map[string]string{"../out.txt": "x"}},
		"cannot be removed":         {"remove": []string{"manifest.json"}},
		"manifest.json":             {"path": "manifest.json", "content": "{"},
		`Right would be: "kind"`:    {"path": "manifest.json", "old": `"webview"`, "new": `"webviw"`},
		"panel_id": {
			"path": "manifest.json", "old": `"panel_id": "chores"`,
			"new": `"panel_id": "other"`,
		},
		"would be larger":                   {"path": "index.html", "content": strings.Repeat("x", maxFile+1)},
		`not a valid file name for a panel`: {"path": ".made-by-assistant", "content": "x"},
	} {
		t.Run(name, func(t *testing.T) {
			change["panel_id"] = "chores"
			if r := w.call(changeName, change); r.Success || !strings.Contains(r.Error, name) || r.Suggestion == "" {
				t.Errorf("%s: %+v", name, r)
			}
			if w.file("chores/manifest.json") != was {
				t.Fatalf("%s was written", name)
			}
		})
	}
	for _, panel := range w.reg.Panels() {
		if panel.ID == "chores" && (!panel.Usable || len(panel.Problems) > 0) {
			t.Errorf("it runs as %+v", panel)
		}
	}
}

func TestOnlyCreatedPanelsCanBeChanged(t *testing.T) {
	w := newHarness(t)
	if _, err := CreatePanel(w.folder, "mine", "script"); err != nil {
		t.Fatal(err)
	}
	if r := w.make(map[string]any{"panel_id": "linked", "template": "list"}); !r.Success {
		t.Fatalf("making: %+v", r)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(w.folder, "linked", "x.txt")); err != nil {
		t.Fatal(err)
	}
	for id, words := range map[string]string{
		"mine": "did not make", "absent": "no panel absent", "../mine": "",
		"linked": "link",
	} {
		t.Run(id, func(t *testing.T) {
			for _, tool := range []string{readName, changeName} {
				r := w.call(tool, map[string]any{"panel_id": id, "path": "x.txt", "content": "x"})
				if r.Success || !strings.Contains(r.Error, words) {
					t.Errorf("%s of %s: %+v", tool, id, r)
				}
			}
		})
	}
}
