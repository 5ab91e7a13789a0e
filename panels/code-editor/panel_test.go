package codeeditor_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	codeeditor "sextant/panels/code-editor"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// files is a fake of the file tools: it returns what it was asked.
type files struct{ asked toolspec.Call }

func (f *files) Describe(call toolspec.Call) toolspec.Description {
	return toolspec.Description{Sentence: call.Tool, Files: []toolspec.FileUse{{Path: "/w/a", Use: toolspec.UseWrite}}}
}
func (f *files) Refuse(toolspec.Call) *toolspec.Result { return nil }
func (f *files) Execute(_ context.Context, call toolspec.Call, _ toolspec.Definition,
	_ func(stream, text string),
) (toolspec.Result, error) {
	f.asked = call
	return toolspec.OK("done"), nil
}
func (f *files) RealPath(path string) (string, error) { return filepath.Join("/w", path), nil }

func TestAssistantDoesNotOverwriteUnsavedText(t *testing.T) {
	t.Parallel()
	kept := codeeditor.OpenStateStore(t.TempDir(), nil)
	p := codeeditor.New(&files{}, kept)
	call := toolspec.Call{
		Tool: "editor_save_file", Args: json.RawMessage(`{"filePath":"a","content":"x"}`),
		From: toolspec.Provenance{Caller: toolspec.CallerModel},
	}
	if d, ok := p.Describe(call); !ok || d.Sentence != "hand_save" {
		t.Errorf("%+v %v", d, ok)
	}
	if err := kept.SaveDraft(wire.EditorDraft{Path: "/w/a", Text: "mine"}); err != nil {
		t.Fatal(err)
	}
	// It is refused before anybody is asked.
	if r := p.Refuse(call); r == nil || r.ErrorType != toolspec.UserError {
		t.Errorf("%+v", r)
	}
	call.From.Caller = toolspec.CallerPerson
	if r := p.Refuse(call); r != nil {
		t.Errorf("the person's own save: %+v", r)
	}
	if err := kept.DeleteDraft("/w/a"); err != nil {
		t.Fatal(err)
	}
	call.From.Caller = toolspec.CallerModel
	if r := p.Refuse(call); r != nil {
		t.Errorf("after it was saved: %+v", r)
	}
}

func TestHandlerMatchesManifest(t *testing.T) {
	t.Parallel()
	var m struct {
		Tools []struct{ Name, Endpoint string }
	}
	text, err := os.ReadFile("manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	answered := codeeditor.New(&files{}, codeeditor.OpenStateStore(t.TempDir(), nil)).Endpoints()
	for _, tool := range m.Tools {
		if answered[tool.Name] != tool.Endpoint {
			t.Errorf("%s: %q, the manifest says %q", tool.Name, answered[tool.Name], tool.Endpoint)
		}
		delete(answered, tool.Name)
	}
	if len(answered) > 0 {
		t.Errorf("not in the manifest: %v", answered)
	}
}

func TestOpenFilesAreRestored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var states []wire.EditorState
	kept := codeeditor.OpenStateStore(dir, func(s wire.EditorState) { states = append(states, s) })
	state := wire.EditorState{
		Tabs:   []wire.EditorTab{{Path: "/w/a", DisplayPath: "a", Line: 3}, {Path: "relative"}},
		Active: "/w/a", Selection: strings.Repeat("é", 1500),
	}
	if err := kept.SaveState(state); err != nil {
		t.Fatal(err)
	}
	if err := kept.SaveDraft(wire.EditorDraft{Path: "/w/a", Text: "mine", Version: "v"}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []wire.EditorDraft{{Path: "a"}, {Path: "/w/b", Text: strings.Repeat("x", 3<<20+1)}} {
		if err := kept.SaveDraft(bad); err == nil {
			t.Errorf("%.40v was kept", bad)
		}
	}
	// What is not ours is passed by.
	for name, text := range map[string]string{
		"x.draft.json":    `{"path":"/etc/x","text":"foreign"}`,
		"half.draft.json": `{"pa`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := codeeditor.OpenStateStore(dir, nil).Session()
	if len(again.State.Tabs) != 1 || again.State.Active != "/w/a" || len(again.State.Selection) > 2000 {
		t.Errorf("%+v", again.State)
	}
	if len(again.Drafts) != 1 || again.Drafts[0] != (wire.EditorDraft{Path: "/w/a", Text: "mine", Version: "v"}) {
		t.Errorf("%+v", again.Drafts)
	}
	if len(states) != 2 || states[1].Active != "/w/a" {
		t.Errorf("the states are %+v", states)
	}
	infos, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range infos {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", e.Name(), info.Mode(), err)
		}
	}
}
