package consent

import (
	"testing"

	"sextant/shared/event"
)

func TestEscapeFormKeepsSentValues(t *testing.T) {
	form := []event.FormField{{
		Name: "a\u200b", Title: "a\u200b", Description: "b\u202e\nnow",
		Options: []event.FormOption{{Value: "c\u200b", Title: "c\u200b"}},
	}}
	escapeForm(form)
	f := form[0]
	if f.Name != "a\u200b" || f.Title != "a\\u200b" || f.Description != "b\\u202e\nnow" ||
		f.Options[0].Value != "c\u200b" ||
		f.Options[0].Title != "c\\u200b" {
		t.Errorf("got %+v", f)
	}
}
