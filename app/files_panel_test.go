package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// argsOf writes arguments, with names that JSON written by hand would get wrong.
func argsOf(t *testing.T, args map[string]string) string {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFilesPanelMovesTrashesAndRestoresAnyName(t *testing.T) {
	flags, dir := aWorkspace(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	do := func(tool string, args map[string]string) toolspec.Result {
		t.Helper()
		return ofPanel(t, sys, byPerson, "files", tool, argsOf(t, args))
	}
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	for _, name := range []string{
		"plain.txt", " leading", "a'b\"c", "line\nbreak", "-rf", "$(id)", "*", "übung 日本",
		"%2e%2e", strings.Repeat("n", 200),
	} {
		if r := do("files_new_file", map[string]string{"path": name, "content": "mine"}); !r.Success || !there(name) {
			t.Errorf("%.20q was not made: %+v", name, r)
			continue
		}
		if r := do("files_new_file", map[string]string{"path": name, "content": "other"}); r.Success {
			t.Errorf("%.20q was overwritten", name)
		}
		if r := do("files_rename", map[string]string{"from": name, "to": "moved"}); !r.Success || there(name) ||
			!there("moved") {
			t.Errorf("%.20q was not moved: %+v", name, r)
		}
		r := do("files_trash", map[string]string{"path": "moved"})
		item, _ := r.Value.(wire.TrashItem)
		if !r.Success || there("moved") || item.ID == "" {
			t.Fatalf("%.20q was not thrown away: %+v", name, r)
		}
		if r := do("files_restore", map[string]string{"id": item.ID, "to": name}); !r.Success || !there(name) {
			t.Errorf("%.20q did not come back: %+v", name, r)
		}
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "mine" {
			t.Errorf("%.20q holds %q (%v)", name, b, err)
		}
	}
	if r := do("files_rename", map[string]string{"from": "plain.txt", "to": "notes.txt"}); r.Success ||
		notes(t, dir) != "Call Ana.\n" {
		t.Errorf("a file was overwritten: %+v", r)
	}
	if list := do("files_trashed", nil); !list.Success || !strings.Contains(list.ModelText(), "empty") {
		t.Errorf("%+v", list)
	}
}

func TestFilesPanelFollowsNoLinkOutOfTheWorkspace(t *testing.T) {
	flags, dir := aWorkspace(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if r := ofPanel(t, sys, byPerson, "files", "files_trash", `{"path":"link"}`); !r.Success {
		t.Errorf("%+v", r)
	}
	// The link went, what it led to did not.
	if b, err := os.ReadFile(outside); err != nil || string(b) != "theirs" {
		t.Errorf("what a link led to: %q %v", b, err)
	}
	for tool, args := range map[string]string{
		"files_rename":   argsOf(t, map[string]string{"from": "notes.txt", "to": "../taken.txt"}),
		"files_trash":    argsOf(t, map[string]string{"path": outside}),
		"files_new_file": argsOf(t, map[string]string{"path": "../made.txt", "content": "x"}),
	} {
		if r := ofPanel(t, sys, byModel, "files", tool, args); r.Success || r.ErrorType != toolspec.PermissionError &&
			r.ErrorType != toolspec.SecurityError {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	for _, secret := range []string{filepath.Join(flags["data"], "sextant.db"), "a\x00b"} {
		if r := ofPanel(t, sys, saidYes, "files", "files_trash",
			argsOf(t, map[string]string{"path": secret})); r.Success {
			t.Errorf("%q was thrown away: %+v", secret, r)
		}
	}
	if _, err := os.Stat(filepath.Join(flags["data"], "sextant.db")); err != nil {
		t.Error(err)
	}
}

func TestPanelToolsUseTheSelectionOrTheOpenFile(t *testing.T) {
	flags, dir := aWorkspace(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	if r := ofPanel(t, sys, byModel, "files", "files_info", `{}`); r.Success ||
		r.ErrorType != toolspec.ValidationError {
		t.Errorf("nothing is selected: %+v", r)
	}
	window := windowOf(t, sys)
	put := func(panel string, values map[string]any) {
		t.Helper()
		if status, b := window.do("PUT", "/api/panels/"+panel+"/context", values); status >= 300 {
			t.Fatalf("%d %s", status, b)
		}
	}
	put("files", map[string]any{"path": filepath.Join(dir, "notes.txt")})
	if r := ofPanel(t, sys, byModel, "files", "files_info", `{}`); !r.Success ||
		!strings.Contains(r.ModelText(), "notes.txt") {
		t.Errorf("%+v", r)
	}
	if r := ofPanel(t, sys, byPerson, "notes", "notes_write",
		`{"name":"Ideas","content":"A second window."}`); !r.Success {
		t.Fatalf("%+v", r)
	}
	put("notes", map[string]any{"note": "Ideas"})
	if r := ofPanel(t, sys, byModel, "notes", "notes_read", `{}`); !r.Success ||
		!strings.Contains(r.ModelText(), "A second window.") {
		t.Errorf("%+v", r)
	}
	if r := ofPanel(t, sys, byPerson, "notes", "notes_rename", `{"to":"Plans"}`); !r.Success {
		t.Errorf("%+v", r)
	}
}
