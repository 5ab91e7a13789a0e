package pipeline

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

func TestPrivateSourcesOfResults(t *testing.T) {
	h := newFixture(t)
	h.setMode(policy.ModeFull)
	readOnly := toolspec.Hints{ReadOnly: true}
	h.add(toolspec.Definition{Name: "read_file", Group: "files", Hints: readOnly}, reads("salary"))
	h.descs["read_file"] = toolspec.Description{Files: []toolspec.FileUse{{Path: "/w/a", Use: toolspec.UseRead}}}
	h.add(toolspec.Definition{Name: "notes_search", Group: "panel", Owner: "notes", Hints: readOnly}, reads("call Ana"))
	h.add(toolspec.Definition{Name: "outer"},
		func(context.Context, toolspec.Call, func(stream, text string)) (toolspec.Result, error) {
			h.do(called("read_file", `{}`))
			return toolspec.OK("done"), nil
		})
	h.add(toolspec.Definition{Name: "wget", Group: "web"}, reads("hours", "https://shop.example"))
	for _, c := range []struct {
		tool string
		want []string
	}{
		{"wget", nil},
		{"outer", []string{"file /w/a"}}, // of its inner call
		{"read_file", []string{"file /w/a"}},
		{"notes_search", []string{"panel:notes"}},
	} {
		if diff := cmp.Diff(c.want, h.do(called(c.tool, `{}`)).PrivateSources); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.tool, diff)
		}
	}
}
