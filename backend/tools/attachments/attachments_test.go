package attachments_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"sextant/backend/attachment"
	"sextant/backend/store/blobs"
	"sextant/backend/tools/attachments"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type conversations map[string][]chat.Message

func (c conversations) Messages(_ context.Context, id string) ([]chat.Message, error) {
	return c[id], nil
}

func TestAttachedFilesAreReadOnlyInTheirConversation(t *testing.T) {
	t.Parallel()
	stored, err := blobs.New(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	files := attachment.New(attachment.Config{Blobs: stored, Cache: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = files.Close() })
	f, err := files.Add(t.Context(), "long.txt", []byte(strings.Repeat("a", 23_000)+"the end"))
	if err != nil {
		t.Fatal(err)
	}
	note := chat.Message{Role: chat.RoleNote, Outside: []string{"attachment:long.txt"}, Files: []chat.File{f}}
	tools := attachments.New(files, conversations{"mine": {note}, "other": nil})
	run := func(t *testing.T, conversation string, args map[string]any) toolspec.Result {
		t.Helper()
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		call := toolspec.Call{
			Tool: attachment.ToolName, Args: raw, From: toolspec.Provenance{Conversation: conversation},
		}
		r, err := tools.Execute(t.Context(), call, toolspec.Definition{}, func(string, string) {})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	id := f.Blob[:12]
	for _, tt := range []struct {
		name, conversation string
		args               map[string]any
		ok                 bool
		text               string
	}{
		{
			"from the start", "mine",
			map[string]any{"file": id},
			true,
			`continue with {"file":"` + id + `","from":23001}`,
		},
		{"reading on", "mine", map[string]any{"file": id, "from": 23_001}, true, "the end"},
		{"after the end", "mine", map[string]any{"file": id, "from": 99_999}, true, ""},
		{"a picture of text", "mine", map[string]any{"file": id, "picture": true}, false, "no PDF"},
		{"another conversation", "other", map[string]any{"file": id}, false, "no attached file"},
		{"no conversation", "", map[string]any{"file": id}, false, "no attached file"},
		{"an unknown file", "mine", map[string]any{"file": "000000000000"}, false, "no attached file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, tt.conversation, tt.args)
			if r.Success != tt.ok || !strings.Contains(r.Text+r.Error, tt.text) {
				t.Errorf("%+v", r)
			}
			if tt.ok {
				if diff := cmp.Diff(note.Outside, r.Sources); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
