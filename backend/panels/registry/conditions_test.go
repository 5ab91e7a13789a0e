package registry

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/panels/manifest"
)

func TestToolConditions(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	put(
		t,
		root,
		"notes",
		map[string]string{
			manifest.FileName: minimal(
				"notes",
				`,"backend":{"kind":"process","command":"node"},"context":["selection","locked"],
	  "config":{"deep":{"type":"boolean","default":true}},"when":"!locked && (panel.active || panel.pinned)","tools":[
	  {"name":"note_add","description":"x","endpoint":"POST /api/notes/add"},
	  {"name":"note_cut","description":"x","endpoint":"POST /api/notes/cut","when":"selection != null"},
	  {"name":"note_deep","description":"x","endpoint":"GET /api/notes/deep","when":"config.deep && platform != 'plan9'"},
	  {"name":"note_never","description":"x","endpoint":"GET /api/notes/never","when":"nonsense"}]`,
			),
		},
	)
	waitFor(t, r, "notes")
	offered := func() (names []string) {
		for _, d := range r.Definitions("notes") {
			names = append(names, d.Name)
		}
		return names
	}
	publish := func(text string) {
		var values map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			t.Fatal(err)
		}
		if err := r.PublishContext("notes", values); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"note_add", "note_deep"}, offered()); diff != "" {
		t.Errorf("with an empty context (-want +got):\n%s", diff)
	}
	publish(`{"selection":"thyme"}`)
	if diff := cmp.Diff([]string{"note_add", "note_cut", "note_deep"}, offered()); diff != "" {
		t.Errorf("with a selection (-want +got):\n%s", diff)
	}
	publish(`{"selection":"thyme","locked":true}`)
	if got := offered(); len(got) != 0 {
		t.Errorf("while it is locked: %v", got)
	}
	if n := len(r.AllDefinitions()); n != 4 {
		t.Errorf("%d tools are shown", n)
	}
	if p, _ := panel(r, "notes"); len(p.Problems) != 1 || !p.Problems[0].IsWarning() {
		t.Errorf("the unknown key: %v", p.Problems)
	}
}
