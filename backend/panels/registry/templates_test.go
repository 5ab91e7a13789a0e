package registry

import (
	"strings"
	"testing"

	"sextant/backend/panels/authoring"
	"sextant/backend/panels/manifest"
)

func TestTemplatesWork(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	folder, err := authoring.CreatePanel(root, "field-notes", "process")
	if err != nil {
		t.Fatal(err)
	}
	if report := manifest.Validate(folder); !report.OK || len(report.Problems) > 0 || len(report.Tools) != 2 ||
		report.Title != "Field notes" {
		t.Errorf("got %+v", report)
	}
	waitFor(t, r, "field-notes")
	if text := mustSucceed(t, call(t, r, "field_notes_add", `{"text":"Water the thyme"}`)); text != `{"count":1}` {
		t.Errorf("got %s", text)
	}
	if text := mustSucceed(t, call(t, r, "field_notes_list", `{}`)); !strings.Contains(text, "Water the thyme") {
		t.Errorf("got %s", text)
	}
}

func TestCreatedListPage(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	if _, err := authoring.CreatePanel(root, "shopping-list", "declarative"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, r, "shopping-list")
	eventually(t, "its page is there", func() bool { _, ok := r.Page("shopping-list"); return ok })
	mustSucceed(t, call(t, r, "shopping_list_add", `{"text":"Oat milk"}`))
	mustSucceed(t, call(t, r, "shopping_list_mark", `{"id":1,"done":true}`))
	if text := mustSucceed(t, call(t, r, "shopping_list_show", `{}`)); !strings.Contains(text, `"done":1,"open":0`) {
		t.Errorf("got %s", text)
	}
	if text := mustSucceed(t, call(t, r, "shopping_list_clear", `{}`)); text != `{"cleared":1}` {
		t.Errorf("got %s", text)
	}
}
