package importer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/recipes"
)

const recorded = `{
  "title": "Order a lamp!",
  "steps": [
    {"type": "setViewport", "width": 1280, "height": 720},
    {"type": "navigate", "url": "https://shop.example/", "assertedEvents": [{"type": "navigation", "url": "https://shop.example/"}]},
    {"type": "click", "selectors": [["aria/Search"], ["#q"]], "offsetX": 4, "offsetY": 4},
    {"type": "change", "value": "Moor", "selectors": [["aria/Search"], ["input[type=search]"]]},
    {"type": "keyDown", "key": "Enter", "assertedEvents": [{"type": "navigation", "url": "https://shop.example/find/moor"}]},
    {"type": "keyUp", "key": "Enter"},
    {"type": "click", "target": "main", "selectors": [["aria/Buy Moor[role=\"button\"]"]]},
    {"type": "change", "value": "hunter2", "selectors": ["#password"]},
    {"type": "change", "value": "Austria", "selectors": [["text/Country"], ["form > select"]]},
    {"type": "keyDown", "key": "Control"}, {"type": "keyDown", "key": "a"}, {"type": "keyUp", "key": "Control"},
    {"type": "doubleClick", "button": "secondary", "selectors": [["text/Fen"]]},
    {"type": "waitForExpression", "expression": "true"},
    {"type": "click", "frame": [0], "selectors": [["aria/Pay"]]}
  ]
}`

func TestRecordingOfDevTools(t *testing.T) {
	all, err := Read([]byte(recorded))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	rec := all[0].Recipe
	text, err := recipes.Format(rec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := recipes.Parse(text); err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("%v\n%s", err, text)
	}
	var sentences []string
	for _, s := range rec.Steps {
		sentences = append(sentences, recipes.Sentence(s))
	}
	want := []string{
		"Open https://shop.example/", "Type “{{search}}” into search field “Search”", "Press Enter",
		"Click button “Buy {{search}}”", "Type “{{password}}” into element “#password”",
		"Choose “{{country}}” in list “Country”", "Press Control+a", "Click “Fen”",
	}
	if diff := cmp.Diff(want, sentences); diff != "" {
		t.Error(diff)
	}
	if e := rec.Steps[2].Expect; e == nil || e.Event != "navigated" || e.URL != "https://shop.example/find/*" {
		t.Errorf("Enter has the effect %+v", e)
	}
	notes := []string{
		"step 8: its element is known only as #password. A run stops there, and you choose the element.",
		"step 14: waitForExpression is left out", "step 15: left out, it is in a frame or another tab",
	}
	if diff := cmp.Diff(notes, all[0].Notes); diff != "" || rec.Name != "order-a-lamp" {
		t.Error(rec.Name, diff)
	}
}

func TestProjectOfSelenium(t *testing.T) {
	all, err := Read([]byte(`{"url": "https://shop.example", "tests": [{"name": "2 lamps", "commands": [
		{"command": "open", "target": "/lamps", "value": ""},
		{"command": "setWindowSize", "target": "1280x800", "value": ""},
		{"command": "type", "target": "id=q", "targets": [["id=q", "id"], ["css=input[placeholder='Find']", "css"]], "value": "Fen"},
		{"command": "sendKeys", "target": "id=q", "value": "${KEY_ENTER}"},
		{"command": "click", "target": "css=.buy", "targets": [["css=.buy", "css:finder"], ["xpath=//button[contains(.,'Buy it')]", "xpath:innerText"]], "value": ""},
		{"command": "click", "target": "linkText=Basket", "value": ""},
		{"command": "select", "target": "name=country", "value": "label=Austria"},
		{"command": "//click", "target": "css=.off", "value": ""},
		{"command": "assertText", "target": "css=h1", "value": "Basket"}]}]}`))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	var sentences []string
	for _, s := range all[0].Recipe.Steps {
		sentences = append(sentences, recipes.Sentence(s))
	}
	want := []string{
		"Open https://shop.example/lamps", "Type “{{find}}” into “Find”", "Press Enter", "Click button “Buy it”",
		"Click link “Basket”", "Choose “{{name_country}}” in element “name=country”",
	}
	if diff := cmp.Diff(want, sentences); diff != "" {
		t.Error(diff)
	}
	if len(all[0].Notes) != 2 || all[0].Recipe.Name != "recording-2-lamps" {
		t.Errorf("%s: %q", all[0].Recipe.Name, all[0].Notes)
	}
}

// What a recording means otherwise than a recipe is left out and named, never done in another way.
func TestRecordingIsNeverDoneInAnotherWay(t *testing.T) {
	side := func(commands string) string {
		return `{"url": "https://a.example", "tests": [{"name": "a", "commands": [{"command": "open", "target": "/"},` +
			commands + `]}]}`
	}
	for text, want := range map[string][]string{
		side(`{"command": "check", "target": "css=[title='All']"}`):                                             nil,
		side(`{"command": "select", "target": "css=[title='Count']", "value": "index=2"}`):                      nil,
		side(`{"command": "type", "target": "css=[title='Who']", "value": "${user}"}`):                          nil,
		side(`{"command": "selectFrame", "target": "index=0"}, {"command": "click", "target": "linkText=Pay"}`): nil,
		`{"steps": [{"type": "navigate", "url": "https://ann:geheim@a.example/"},
			{"type": "click", "selectors": [["aria/Other[role=\"checkbox\"]"]]},
			{"type": "change", "value": "x", "selectors": [["aria/Other[role=\"textbox\"]"]]},
			{"type": "change", "value": "geheim", "selectors": [["aria/Kennwort"], ["#user_pwd"]]},
			{"type": "change", "value": "{{a}}", "selectors": [["aria/B"]]},
			{"type": "click", "selectors": [["input[type=image]"]]}]}`: {
			"Click checkbox “Other”", "Type “{{other}}” into field “Other”", "Type “{{kennwort}}” into “Kennwort”",
			"Click element “input[type=image]”",
		},
	} {
		all, err := Read([]byte(text))
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		var sentences []string
		for _, s := range all[0].Recipe.Steps {
			sentences = append(sentences, recipes.Sentence(s))
		}
		if diff := cmp.Diff(append([]string{"Open https://a.example/"}, want...), sentences); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
		if len(all[0].Notes) == 0 {
			t.Errorf("nothing is said about %s", text)
		}
		if file, err := recipes.Format(all[0].Recipe); err != nil || strings.Contains(string(file), "geheim") {
			t.Errorf("%s %v", file, err)
		}
	}
}

// Whatever a file contains, it is a valid recipe or an error.
func FuzzRead(f *testing.F) {
	f.Add(recorded)
	f.Add(`{"tests": [{"name": "a", "commands": [{"command": "click", "target": "{{x}}"}]}]}`)
	f.Add(`{"steps": [{"type": "change", "value": "{{a}}", "selectors": [["aria/{{b}}"]]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Read([]byte(text))
		if err != nil {
			return
		}
		for _, one := range all {
			text, err := recipes.Format(one.Recipe)
			if err != nil {
				t.Fatal(err)
			}
			var invalid *recipes.InvalidError
			if _, err := recipes.Parse(text); err != nil && !errors.As(err, &invalid) {
				t.Fatal(err)
			}
			if !json.Valid(text) {
				t.Fatalf("%s", text)
			}
		}
	})
}
