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

// inPanel calls a tool of a built-in panel.
func inPanel(t *testing.T, sys *System, panel, tool string, from toolspec.Provenance, args any) toolspec.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return sys.Pipeline.Do(t.Context(), toolspec.Call{Tool: tool, Panel: panel, Args: raw, From: from})
}

// TestEditorsSaveFollowsThePolicyOfWrites checks that a person saves without a question, that a program is refused
// if nobody can be asked, and that the path may come from the panel's context.
func TestEditorsSaveFollowsThePolicyOfWrites(t *testing.T) {
	t.Chdir(t.TempDir())
	sys := openTest(t, OpenOptions{})
	person := toolspec.Provenance{Caller: toolspec.CallerPerson, Interactive: true}
	program := toolspec.Provenance{Caller: toolspec.CallerRun}
	file := filepath.Join(sys.WorkspaceFolder(), "a.txt")
	args := map[string]any{"filePath": "a.txt", "content": "mine\n", "version": ""}
	if r := inPanel(t, sys, "code-editor", "editor_save_file", program, args); r.Success ||
		r.ErrorType != toolspec.PermissionError {
		t.Fatalf("%+v", r)
	}
	if r := inPanel(t, sys, "code-editor", "editor_save_file", person, args); !r.Success || len(r.Changed) != 1 {
		t.Fatalf("%+v", r)
	}
	if err := sys.Editor.SaveState(wire.EditorState{
		Tabs:   []wire.EditorTab{{Path: file, DisplayPath: "a.txt"}},
		Active: file,
	}); err != nil {
		t.Fatal(err)
	}
	r := inPanel(t, sys, "code-editor", "editor_save_file", person, map[string]any{"content": "more\n"})
	if got, err := os.ReadFile(file); !r.Success || err != nil || string(got) != "more\n" {
		t.Fatalf("%q %v %+v", got, err, r)
	}
	r = inPanel(t, sys, "code-editor", "editor_open_file", person,
		map[string]any{"path": sys.Config.DataDir + "/" + DatabaseName})
	if r.Success || r.ErrorType != toolspec.SecurityError {
		t.Errorf("%+v", r)
	}
	r = inPanel(t, sys, "code-editor", "editor_find_in_files", person, map[string]any{"query": "MORE"})
	if !r.Success || !strings.Contains(r.ModelText(), "a.txt:1: more") {
		t.Errorf("%+v", r)
	}
	r = inPanel(t, sys, "home", "editor_get_open_files", person, map[string]any{})
	if r.Success {
		t.Error("the editor's tool is there while another panel is active")
	}
}

// TestNoteIsAPrivateFile walks a note from its making to the trash.
func TestNoteIsAPrivateFile(t *testing.T) {
	t.Chdir(t.TempDir())
	sys := openTest(t, OpenOptions{})
	person := toolspec.Provenance{Caller: toolspec.CallerPerson, Interactive: true}
	path := filepath.Join(sys.Config.DataDir, "notes", "Ideas.md")
	do := func(panel, tool string, args map[string]any) toolspec.Result {
		t.Helper()
		r := inPanel(t, sys, panel, tool, person, args)
		if !r.Success {
			t.Fatalf("%s: %+v", tool, r)
		}
		return r
	}
	// Outside of the workspace a person is asked too; a note is the panel's own file.
	do("notes", "notes_write", map[string]any{"name": "Ideas", "content": "one", "version": ""})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	do("notes", "notes_append", map[string]any{"name": "Ideas", "content": "two"})
	if got, err := os.ReadFile(path); err != nil || string(got) != "one\ntwo" {
		t.Fatalf("%q %v", got, err)
	}
	if r := do("notes", "notes_read", map[string]any{"name": "Ideas"}); !strings.Contains(r.ModelText(), "two") {
		t.Errorf("%+v", r)
	}
	program := toolspec.Provenance{Caller: toolspec.CallerRun}
	if r := inPanel(t, sys, "notes", "notes_write", program,
		map[string]any{"name": "Ideas", "content": "x"}); r.Success {
		t.Error("a program that nobody is asked about wrote a note")
	}
	do("notes", "notes_rename", map[string]any{"name": "Ideas", "to": "Plans"})
	item, ok := do("notes", "notes_trash", map[string]any{"name": "Plans"}).Value.(wire.TrashItem)
	if !ok {
		t.Fatal("it is not in the trash")
	}
	do("notes", "notes_restore", map[string]any{"id": item.ID})
	if got, err := os.ReadFile(filepath.Join(filepath.Dir(path), "Plans.md")); err != nil || string(got) != "one\ntwo" {
		t.Errorf("put back: %q %v", got, err)
	}
}
