package app

import (
	"testing"

	"sextant/shared/event"
)

func TestWhatAServerAsksIsShownWithNothingHidden(t *testing.T) {
	if got := readable("pay \u202e001\nnow"); got != "pay \\u202e001\nnow" {
		t.Errorf("got %q", got)
	}
	form := []event.FormField{{
		Name: "a\u200b", Title: "a\u200b", About: "b\u202e",
		Options: []event.FormOption{{Value: "c\u200b", Title: "c\u200b"}},
	}}
	readableForm(form)
	f := form[0]
	if f.Name != "a\u200b" || f.Title != "a\\u200b" || f.About != "b\\u202e" || f.Options[0].Value != "c\u200b" ||
		f.Options[0].Title != "c\\u200b" {
		t.Errorf("got %+v", f)
	}
}
