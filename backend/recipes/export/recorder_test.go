package export

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

func TestRecordingRepeatsTheSteps(t *testing.T) {
	fen := "Fen"
	rec := recipe.Recipe{
		Name: "order", Parameters: []recipe.Parameter{{Name: "lamp", Default: &fen}, {Name: "pin", Secret: true}},
		Steps: []recipe.Step{
			step("navigate_page", `{"url":"http://shop.test/"}`, nil),
			step("type_text", `{"annotationId":{"role":"textbox","name":"PIN"},"text":"{{pin}}","submit":true}`,
				&recipe.Effect{Event: "navigated"}),
			step("click_element", `{"annotationId":{"role":"button","name":"Remove","row":"{{lamp}} # €","twins":true}}`,
				&recipe.Effect{Event: "dialog"}),
			step("handle_dialog", `{"accept":true}`, nil),
			step("select_option", `{"annotationId":{"role":"combobox","name":"Kind"},"values":["A"]}`,
				&recipe.Effect{Appears: []annotation.Reference{{Role: "link", Name: "Next"}}}),
			step("upload_file", `{"annotationId":{"role":"button","name":"File"},"path":"a.txt"}`, nil),
		},
	}
	text, omitted, err := Recorder(rec, map[string]string{"lamp": "Moor"})
	if err != nil {
		t.Fatal(err)
	}
	var got recording
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, s := range got.Steps {
		kinds = append(kinds, s.Type)
	}
	want := "navigate change keyDown keyUp waitForExpression click click keyDown keyUp waitForExpression " +
		"waitForElement waitForExpression"
	if strings.Join(kinds, " ") != want {
		t.Errorf("the steps are %v", kinds)
	}
	enter, remove := got.Steps[2], got.Steps[5]
	answer := got.Steps[4].Expression
	if enter.Key != "Enter" || len(enter.AssertedEvents) != 1 ||
		!strings.Contains(answer, "{ confirm: true, prompt: '' }") {
		t.Errorf("%+v\n%s", enter, answer)
	}
	if in := remove.Selectors[0]; !strings.Contains(in[0], `"moor"`) || in[1] != `aria/Remove[role="button"]` {
		t.Errorf("%q", in)
	}
	if len(omitted) != 1 || !strings.HasPrefix(omitted[0], "step 6, ") {
		t.Errorf("left out: %q", omitted)
	}
}

// Texts of a page stay texts in expressions, whatever they contain.
func TestRecordingRunsNothingOfThePage(t *testing.T) {
	for _, text := range []string{
		`'); throw 1; ('`, "`${throwing()}`", "*/ throw 1; /*", "\n throw 1;", "\u2028throw 1;", `\`,
	} {
		args, err := json.Marshal(map[string]any{
			"annotationId": annotation.Reference{Role: "combobox", Name: text, Row: text, Group: text, Twins: true},
			"text":         text, "values": []string{text}, "clear": false, "accept": true,
		})
		if err != nil {
			t.Fatal(err)
		}
		rec := recipe.Recipe{Name: "x", Description: text, Steps: []recipe.Step{
			step("type_text", string(args), &recipe.Effect{Event: "dialog"}), step("handle_dialog", string(args), nil),
			step("select_option", string(args), nil),
		}}
		recorded, _, err := Recorder(rec, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got recording
		if err := json.Unmarshal([]byte(recorded), &got); err != nil {
			t.Fatal(err)
		}
		for _, s := range got.Steps {
			for line := range strings.SplitSeq(s.Expression, "\n") {
				if strings.HasPrefix(strings.TrimSpace(line), "throw") {
					t.Errorf("%q runs:\n%s", text, s.Expression)
				}
			}
			check(t, "("+cmp.Or(s.Expression, "0")+"\n)")
		}
	}
}
