package notes

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

type files struct{ asked toolspec.Call }

func (f *files) Describe(call toolspec.Call) toolspec.Description {
	return toolspec.Description{Sentence: call.Tool, Files: []toolspec.FileUse{{Path: string(call.Args)}}}
}
func (f *files) Refuse(toolspec.Call) *toolspec.Result { return nil }
func (f *files) Execute(_ context.Context, call toolspec.Call, _ toolspec.Definition,
	_ func(stream, text string),
) (toolspec.Result, error) {
	f.asked = call
	return toolspec.OK(nil), nil
}

func (f *files) ReadText(_ context.Context, path string) (wire.FileText, error) {
	b, err := os.ReadFile(path)
	return wire.FileText{Text: string(b)}, err
}

func newPanel(t *testing.T) *Panel {
	t.Helper()
	p, err := New(&files{}, filepath.Join(t.TempDir(), "notes"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNamesStayInFolder(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	for _, name := range []string{
		"", " ", ".", "..", "../x", "a/b", `a\b`, ".hidden", "a.", "a\nb", "a\x00b", "a\u202eb", "a\xffb", "a:b",
		"CON?", "x*", strings.Repeat("n", 121), strings.Repeat("ü", 121),
	} {
		t.Run(name, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"name": name, "content": "x"})
			if err != nil {
				t.Fatal(err)
			}
			if name == "a\xffb" {
				return // JSON cannot carry it
			}
			call := toolspec.Call{Tool: "notes_write", Args: args}
			if r := p.Refuse(call); r == nil || r.ErrorType != toolspec.ValidationError {
				t.Error("the name is accepted")
			}
			if _, ok := p.Describe(call); ok {
				t.Error("the name is described as a file")
			}
		})
	}
	for name, want := range map[string]string{
		"Ideas": "Ideas.md", "Ideas.md": "Ideas.md",
		" 2026-11 plans ": "2026-11 plans.md", "Über uns": "Über uns.md",
	} {
		t.Run(name, func(t *testing.T) {
			path, bad := p.path(name)
			if bad != nil || path != filepath.Join(p.dir, want) {
				t.Errorf("%q: %q %+v", name, path, bad)
			}
		})
	}
	args := json.RawMessage(`{"name":"a","to":"../b"}`)
	if r := p.Refuse(toolspec.Call{Tool: "notes_rename", Args: args}); r == nil {
		t.Error("a note is renamed out of the folder")
	}
}

func TestListAndSearchNotes(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("Ideas.md", "# Ideas\n\n- a second WINDOW\n")
	put("Other.md", "nothing\xff here")
	put("no note.txt", "window")
	if err := syscall.Mkfifo(filepath.Join(p.dir, "Pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(p.dir, "Link.md")); err != nil {
		t.Fatal(err)
	}
	all, err := p.Notes("")
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	found, err := p.Notes("second window")
	if err != nil || len(found) != 1 || found[0].Name != "Ideas" || found[0].Preview != "a second WINDOW" {
		t.Errorf("%+v %v", found, err)
	}
	r := p.search(t.Context(), toolspec.Call{Args: json.RawMessage(`{"query":"window"}`)})
	if r.Text != "Ideas:3: - a second WINDOW\n" {
		t.Errorf("%q", r.Text)
	}
	if r := p.search(t.Context(),
		toolspec.Call{Args: json.RawMessage(`{"query":"root:"}`)}); r.Text != "No note contains it." {
		t.Errorf("%q", r.Text)
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
	answered := newPanel(t).Endpoints()
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
