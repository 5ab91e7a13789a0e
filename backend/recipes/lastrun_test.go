package recipes

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/recipe"
)

func TestRunGoesOnInAnotherProcess(t *testing.T) {
	rec := recipe.Recipe{Name: "order", Steps: []recipe.Step{
		{Tool: "navigate_page", Args: json.RawMessage(`{"url": "http://shop.test/form"}`)},
		{Tool: "click_element", Args: json.RawMessage(`{"annotationId": {"role": "checkbox", "name": "Gift"}}`)},
		{Tool: "type_text", Args: json.RawMessage(`{"annotationId": {"role": "textbox", "name": "Name"}, "text": "Ada"}`)},
		{
			Tool: "click_element", Args: json.RawMessage(`{"annotationId": {"role": "button", "name": "Send"}}`),
			Expect: &recipe.Effect{Event: "navigated", URL: "http://shop.test/thanks"},
		},
		{Tool: "wait_for", Args: json.RawMessage(`{"text": "Thank you"}`)},
	}}
	open := func(rec recipe.Recipe, saved string) *Recipes {
		folder := t.TempDir()
		r, err := New(Config{Folder: folder, Log: slog.New(slog.DiscardHandler)})
		if err == nil {
			err = r.Save(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
		saved = strings.Replace(saved, "{", `{"process": "other", "steps": "`+digest(rec.Steps)+`", `, 1)
		if err := os.WriteFile(filepath.Join(folder, "order", lastRunFile), []byte(saved), 0o600); err != nil {
			t.Fatal(err)
		}
		return r
	}
	page := `"url": "http://shop.test/form", "since": 2`
	withoutGift := rec
	withoutGift.Steps = append([]recipe.Step{rec.Steps[0]}, rec.Steps[2:]...)
	for name, c := range map[string]struct {
		rec     recipe.Recipe
		saved   string
		from    int
		first   int
		address string
		err     string
	}{
		"fields are filled in again": {
			withoutGift, `{"status": "running", "next": 3, ` + page + `}`, 3, 2, "http://shop.test/form", "",
		},
		"a box that was ticked is lost": {
			rec, `{"status": "running", "next": 4, ` + page + `}`, 4, 0, "", "what step 2 entered is lost",
		},
		"after an uncertain step": {
			withoutGift, `{"status": "running", "next": 3, "uncertain": true, ` + page + `}`, 4, 4,
			"http://shop.test/thanks", "",
		},
		"after a run that was done":  {rec, `{"status": "done", ` + page + `}`, 3, 0, "", "was done"},
		"with another page":          {rec, `{"status": "unmet", "next": 5, "since": 5, "url": "x"}`, 3, 0, "", "closed"},
		"with a number out of range": {rec, `{"status": "unmet", "next": -5, ` + page + `}`, 3, 3, "", ""},
		"with a file that is broken": {rec, `{"next": "x"}`, 3, 3, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(c.rec, c.saved)
			var run run
			err := r.goOn(&run, c.rec, c.from)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil || run.first != c.first || run.address != c.address {
				t.Errorf("from step %d at %q (%v), want %d at %q", run.first, run.address, err, c.first, c.address)
			}
		})
	}
	r := open(rec, `{"status": "unmet", "next": 4}`)
	if last := r.LastRun("order"); last == nil || last.Next != 4 {
		t.Errorf("the last run is %+v", last)
	}
	rec.Steps = rec.Steps[:4]
	if err := r.Save(rec); err != nil || r.LastRun("order") != nil {
		t.Errorf("the run of other steps is %+v (%v)", r.LastRun("order"), err)
	}
}

func TestRunKeepsNoSecretAddress(t *testing.T) {
	r := run{values: map[string]string{"key": "a b/7"}, shown: map[string]string{"key": HiddenText}}
	r.page.Page.URL = "https://x.test/?key=a+b%2F7"
	r.noteAddress(1)
	if r.saved.URL != "" || r.hide(`typed "a b/7"`) != `typed "…"` {
		t.Errorf("%+v, %s", r.saved, r.hide(`typed "a b/7"`))
	}
}
