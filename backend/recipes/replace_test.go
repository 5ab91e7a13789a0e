package recipes

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"sextant/shared/annotation"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

func TestReplacedElementsAreKept(t *testing.T) {
	rec := recipe.Recipe{Name: "pay", Steps: []recipe.Step{
		{Tool: "click_element", Args: json.RawMessage(`{"annotationId": {"role": "button", "name": "Buy"}}`)},
		{Tool: "press_key", Args: json.RawMessage(`{"key": "Enter"}`)},
	}}
	r, err := New(Config{Folder: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = r.Save(rec)
	}
	if err != nil {
		t.Fatal(err)
	}
	one := recipe.Replacement{Step: 1, Element: annotation.Reference{Role: "button", Name: "Pay"}}
	all := addReplacement(addReplacement(nil, recipe.Replacement{Step: 1, Before: "x"}), one)
	if len(all) != 1 || all[0].Element.Name != "Pay" {
		t.Fatalf("%+v", all)
	}
	saved := savedRun{Process: r.process, Steps: digest(rec.Steps)}
	saved.LastRun = recipe.LastRun{
		Recipe: "pay", Status: recipe.StatusRunning, Next: 2, Uncertain: true, Replacements: all,
	}
	if err := r.saveRun(saved); err != nil {
		t.Fatal(err)
	}
	if _, err := r.SaveReplacements("pay"); err == nil {
		t.Error("it was kept while the recipe runs")
	}
	saved.Status = recipe.StatusUnmet
	if err := r.saveRun(saved); err != nil {
		t.Fatal(err)
	}
	if err := r.EndRun("pay"); err != nil {
		t.Fatal(err)
	}
	if last := r.LastRun("pay"); last.Status != recipe.StatusDone || last.Next != 0 || len(last.Replacements) != 1 {
		t.Errorf("the run is then %+v", last)
	}
	if _, err := r.SaveReplacements("pay"); err != nil {
		t.Fatal(err)
	}
	kept, err := r.Get("pay")
	if err != nil || References(kept.Steps[0])["annotationId"].Name != "Pay" || kept.Steps[1].Tool != "press_key" {
		t.Errorf("%+v %v", kept, err)
	}
	if last := r.LastRun("pay"); last == nil || len(last.Replacements) != 0 {
		t.Errorf("the run is then %+v", last)
	}
	if _, err := r.SaveReplacements("pay"); !errors.Is(err, ErrNoReplacements) {
		t.Errorf("kept again: %v", err)
	}
}

func TestElementOfAnotherSiteIsNotChosen(t *testing.T) {
	s := recipe.Step{
		Tool: "type_text", Args: json.RawMessage(`{"annotationId": {"role": "textbox", "name": "TAN"}, "text": "x"}`),
	}
	choose := func(address string, e annotation.Element) error {
		r := run{saved: savedRun{URL: "https://bank.example/pay"}}
		r.do, r.observe = oneLook(annotation.Observation{
			Page: annotation.Page{URL: address}, Elements: []annotation.Element{e},
		})
		_, _, err := r.replace(t.Context(), 2, e.ID, s)
		return err
	}
	code := annotation.Element{ID: 7, Role: "textbox", Name: "Code"}
	framed := code
	framed.Frame = "blob:https://evil.example/1"
	if err := choose("https://bank.example/again", code); err != nil {
		t.Error(err)
	}
	if choose("https://evil.example/", code) == nil || choose("https://bank.example/", framed) == nil {
		t.Error("an element of another site was chosen")
	}
}

// oneLook returns functions that look at a page.
func oneLook(page annotation.Observation) (
	do func(context.Context, toolspec.Call) toolspec.Result, observe func(any) (annotation.Observation, bool),
) {
	return func(context.Context, toolspec.Call) toolspec.Result { return toolspec.OK(nil) },
		func(any) (annotation.Observation, bool) { return page, true }
}
