package files_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"sextant/panels/files"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// fakeFiles is a fake of the file tools, which are tested with this panel in app; it returns what it was asked.
type fakeFiles struct{}

func (fakeFiles) Describe(call toolspec.Call) toolspec.Description {
	return toolspec.Description{Sentence: call.Tool, Files: []toolspec.FileUse{{
		Path: string(call.Args),
		Use:  toolspec.UseWrite,
	}}}
}
func (fakeFiles) Refuse(toolspec.Call) *toolspec.Result { return nil }
func (fakeFiles) Execute(
	context.Context, toolspec.Call, toolspec.Definition, func(stream, text string),
) (toolspec.Result, error) {
	return toolspec.OK(nil), nil
}
func (fakeFiles) TrashItems() []wire.TrashItem { return nil }

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
	answered := files.New(fakeFiles{}).Endpoints()
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

func TestNewFileDoesNotOverwrite(t *testing.T) {
	t.Parallel()
	d, ok := files.New(fakeFiles{}).Describe(toolspec.Call{
		Tool: "files_new_file",
		Args: json.RawMessage(`{"path":"a","content":"x","version":"v1"}`),
	})
	if !ok || d.Sentence != "hand_save" || d.Files[0].Path != `{"content":"x","path":"a","version":""}` {
		t.Errorf("%+v %v", d, ok)
	}
}
