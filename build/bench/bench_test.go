package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPagesAreComplete(t *testing.T) {
	pages, names, err := loadPages()
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 30 {
		t.Errorf("%d pages, want at least 30", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p := pages[name]
			if p.Kind == "" {
				t.Error("no kind")
			}
			first := p.Act[0].On
			found := slices.ContainsFunc(p.Truth, func(truth Truth) bool {
				return truth.WhyUnusable == "" && slices.ContainsFunc(truth.Names,
					func(n string) bool { return slices.Contains(first.Names, n) })
			})
			if !found {
				t.Errorf("the first target %v is not an expected element", first)
			}
		})
	}
	if n := pages["nodes40k"].Nodes; n < 40_000 {
		t.Errorf("nodes40k has %d elements", n)
	}
	if n := len(pages["table"].Truth); n != 3000 {
		t.Errorf("table has %d controls", n)
	}
}

func TestParseAnswers(t *testing.T) {
	for _, test := range []struct {
		system string
		parse  func(string) []ListedElement
		text   string
		want   []ListedElement
	}{
		{
			"sextant", parseSextant,
			"Page: x | http://x | v1 | tab 1\n[1] button \"Save \\\"it\\\"\" (disabled)\n[2] clickable\n[3] link " +
				"\"Help\" (covered by [20] dialog \"Cookies\")\n",
			[]ListedElement{
				{Ref: "1", Role: "button", Name: `Save "it"`, Marked: true},
				{Ref: "2", Role: "clickable", Usable: true, Marked: true},
				{Ref: "3", Role: "link", Name: "Help", Marked: true},
			},
		},
		{
			"playwright", parsePlaywright,
			"- generic [ref=e1]:\n  - button \"Off\" [disabled] [ref=e2]\n  - generic [ref=e3] [cursor=pointer]: " +
				"Div\n  - text: free\n",
			[]ListedElement{
				{Ref: "e1", Role: "generic", Name: " Off   Div  free", Usable: true},
				{Ref: "e2", Role: "button", Name: "Off"},
				{Ref: "e3", Role: "generic", Name: "Div", Usable: true, Marked: true},
			},
		},
		{
			"devtools", parseDevtools,
			"uid=1_0 RootWebArea \"P\" url=\"http://x\"\n  uid=1_1 button \"Save \"it\" now\" disableable " +
				"disabled\n  uid=1_2 \"words\"\n",
			[]ListedElement{
				{Ref: "1_0", Role: "RootWebArea", Name: "P", Usable: true},
				{Ref: "1_1", Role: "button", Name: `Save "it" now`},
				{Ref: "1_2", Role: "text", Name: "words", Usable: true},
			},
		},
		{
			"agent-browser", parseAgent,
			"- generic \"Div\" [ref=e2] clickable [cursor:pointer, onclick]\n- button \"Off\" [disabled, ref=e3]\n",
			[]ListedElement{
				{Ref: "e2", Role: "generic", Name: "Div", Usable: true, Marked: true},
				{Ref: "e3", Role: "button", Name: "Off"},
			},
		},
	} {
		t.Run(test.system, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.parse(test.text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestScore(t *testing.T) {
	lines := []ListedElement{
		{Ref: "1", Role: "button", Name: "Edit", Usable: true},
		{Ref: "2", Role: "generic", Name: "Div", Usable: true},
		{Ref: "3", Role: "generic", Name: "Hand", Usable: true, Marked: true},
		{Ref: "4", Role: "button", Name: "Row 10", Usable: true},
		{Ref: "5", Role: "button", Name: "Under", Usable: true},
		{Ref: "6", Role: "button", Name: "Off", Usable: false},
		{Ref: "7", Role: "button", Name: "red trash can", Usable: true},
	}
	truths := []Truth{
		parseTruth("button:Edit"), parseTruth("button:Edit"), parseTruth("clickable:Div"), parseTruth("clickable:Hand"),
		parseTruth("button:Row 1"), parseTruth("button:~trash|delete"),
		{Names: []string{"Under"}, WhyUnusable: "covered"},
		{Names: []string{"Off"}, WhyUnusable: "disabled"},
	}
	s := score(lines, truths)
	if s.Total != 6 || s.Found != 3 {
		t.Errorf("seen %d of %d, want 3 of 6; missed %v", s.Found, s.Total, s.Missed)
	}
	if !slices.Equal(s.Missed, []string{"button:Edit", "clickable:Div", "button:Row 1"}) {
		t.Errorf("missed %v", s.Missed)
	}
	if !slices.Equal(s.WronglyUsable, []string{"Under (covered)"}) {
		t.Errorf("wrong %v", s.WronglyUsable)
	}
}
