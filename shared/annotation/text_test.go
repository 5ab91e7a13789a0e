package annotation

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func answer() Observation {
	return Observation{
		Page:    Page{Title: "Cart", URL: "https://shop.example/cart", Version: 7, Tab: 1},
		Outcome: `clicked [12] button "Save"`, SettledMS: 380,
		Events: []Event{
			{Kind: "navigated", Text: "https://shop.example/done"},
			{Kind: "opened_tab", Tab: 2},
			{Kind: "dialog", Text: `confirm "Sure?"`},
		},
		Elements: []Element{
			{ID: 12, Role: "button", Name: "Save"},
			{ID: 13, Role: "textbox", Name: "Name", Value: "Ana", States: []string{"required"}},
			{ID: 14, Role: "link", Name: "Help", States: []string{`covered by [20] dialog "Cookies"`}},
		},
		Below: 214,
	}
}

func TestText(t *testing.T) {
	want := `Page: Cart | https://shop.example/cart | v7 | tab 1
clicked [12] button "Save" · settled 380 ms · navigated to https://shop.example/done · opened tab 2 · dialog: confirm "Sure?"
[12] button "Save"
[13] textbox "Name" = "Ana" (required)
[14] link "Help" (covered by [20] dialog "Cookies")
… 214 more below; scroll, or annotate_page with query or scope=page`
	if got := Text(answer()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAddressIsSaidOnce(t *testing.T) {
	const url = "https://shop.example/cart"
	a := Observation{
		Page: Page{Title: "Cart", URL: url, Version: 7, Tab: 1}, Outcome: "opened " + url, SettledMS: 120,
		Events: []Event{{Kind: "navigated", Text: url + " (302 → 200)"}, {Kind: "navigated", Text: url + "/2 (200)"}},
	}
	want := "Page: Cart | " + url + " | v7 | tab 1\nopened · navigated (302 → 200) · navigated to " + url + "/2 (200)"
	if got := Text(a); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestUnimportantFocusIsNotListed(t *testing.T) {
	a := Observation{
		Outcome: `clicked [2] button "see note [3]"`, OnlyChanges: true, ActedOn: 2,
		Elements: []Element{
			{ID: 1, Role: "textbox", Name: "lost", OnlyFocusChanged: true},
			{ID: 2, Role: "button", Name: "acted", States: []string{"focused"}, OnlyFocusChanged: true},
			{ID: 3, Role: "textbox", Name: "got", States: []string{"focused"}, OnlyFocusChanged: true},
			{ID: 4, Role: "textbox", Name: "changed", Value: "x"},
		},
	}
	got := TextWithin(&a, Budget{})
	want := "\n[3] textbox \"got\" (focused)\n[4] textbox \"changed\" = \"x\""
	if !strings.HasSuffix(got, want) || strings.Contains(got, "[1]") || strings.Count(got, "\n[2]") != 0 {
		t.Errorf("got:\n%s", got)
	}
	if len(a.Elements) != 4 {
		t.Errorf("%d of 4 elements are left", len(a.Elements))
	}
}

func TestNewText(t *testing.T) {
	elements := []Element{
		{ID: 1, Role: "button", Name: "Sign in"},
		{ID: 2, Role: "link", Name: "Ana Lima, 3 letters"},
		{ID: 3, Role: "button", Name: "Save"},
		{ID: 4, Role: "button", Name: "Pay"},
		{ID: 5, Role: "link", Name: "Error log"},
		{ID: 6, Role: "button", Name: "4"},
		{ID: 7, Role: "button", Name: "2"},
		{ID: 8, Role: "slider", Value: "5 (1–9)"},
	}
	for line, want := range map[string]string{
		"Sign inWrong password":     "Wrong password",
		"Two files leftSign in":     "Two files left",
		"Sign in":                   "",
		"· Sign in Save ·":          "",
		"Saved\n[7] button \"Pay\"": "Saved [7] button \"Pay\"",
		"PayPal payment declined":   "PayPal payment declined",
		"Error":                     "Error",
		"42":                        "42",
		"5":                         "5",
		"Saved":                     "Saved",
		strings.Repeat("x", 500):    strings.Repeat("x", 159) + "…",
	} {
		var a Observation
		a.SetNewText([]string{line}, 0, elements)
		if got := strings.Join(a.NewText, "|"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	a := Observation{OnlyChanges: true, Elements: elements[1:2]}
	a.SetNewText([]string{"Ana Lima", "Count \"2\""}, 3, elements)
	const want = "\nnew text: \"Count \\\"2\\\"\" and 3 more lines\n[2] link"
	if got := Text(a); !strings.Contains(got, want) {
		t.Errorf("got:\n%s", got)
	}
	a.SetNewText(slices.Repeat([]string{"Row"}, 20), 0, nil)
	if len(a.NewText) != 8 || a.MoreText != 12 || len(a.AllNewText) != 20 {
		t.Errorf("%q and %d more of %d", a.NewText, a.MoreText, len(a.AllNewText))
	}
}

func TestCoverIsDescribedOnce(t *testing.T) {
	cookies, bar, foot, other := `covered by [20] dialog "Cookies"`, `covered by banner "Top"`,
		`covered by div "We use cookies"`, `covered by "Chat"`
	a := Observation{Page: Page{Title: "T", URL: "https://t.example/", Version: 1, Tab: 1}}
	for i, states := range [][]string{
		{cookies},
		{"checked", cookies},
		{bar},
		nil,
		{bar},
		{cookies},
		{foot},
		{other},
		{foot},
	} {
		a.Elements = append(a.Elements, Element{ID: i + 1, Role: "link", Name: string(rune('A' + i)), States: states})
	}
	const want = `[1] link "A" (covered by [20] dialog "Cookies")
[2] link "B" (checked, covered)
[3] link "C" (covered by banner "Top")
[4] link "D"
[5] link "E" (covered by banner)
[6] link "F" (covered by [20])
[7] link "G" (covered by div "We use cookies")
[8] link "H" (covered by "Chat")
[9] link "I" (covered by div)`
	if got := Text(a); !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s", got)
	}
	if a.Elements[1].States[1] != cookies {
		t.Errorf("the list itself changed: %v", a.Elements[1].States)
	}
}

func TestRowIsNamedOnce(t *testing.T) {
	var a Observation
	for i, c := range []struct{ name, state string }{
		{"Edit", `in "Ana"`},
		{"Delete", `in "Ana"`},
		{"Edit", `in "Ana"`},
		{"Call", `in "Ben" 1 of 2`},
		{"Call", `in "Ben" 2 of 2`},
		{"Save", ""},
		{"Call", `in "Ben"`},
	} {
		e := Element{ID: i + 1, Role: "button", Name: c.name}
		if c.state != "" {
			e.States = []string{"checked", c.state}
		}
		a.Elements = append(a.Elements, e)
	}
	const want = `[1] button "Edit" (checked, in "Ana")
[2] button "Delete" (checked, same row)
[3] button "Edit" (checked, in "Ana")
[4] button "Call" (checked, in "Ben" 1 of 2)
[5] button "Call" (checked, same row 2 of 2)
[6] button "Save"
[7] button "Call" (checked, in "Ben")`
	if got := Text(a); !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s", got)
	}
}

func TestAnnotateHasNoOutcomeLine(t *testing.T) {
	a := answer()
	a.Outcome, a.Events, a.SettledMS, a.Below, a.Elements = "", nil, 0, 0, a.Elements[:1]
	want := "Page: Cart | https://shop.example/cart | v7 | tab 1\n[12] button \"Save\""
	if got := Text(a); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestTextListsGoneNumbersAndNote(t *testing.T) {
	a := answer()
	a.Gone, a.Note, a.Elements, a.OnlyChanges = []int{3, 9}, "[5] was redrawn and is the same field", nil, true
	got := Text(a)
	for _, want := range []string{"\ngone: [3] [9]\n", "\nnote: [5] was redrawn and is the same field"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "more below") {
		t.Errorf("an answer of changes counts what it does not list:\n%s", got)
	}
}

func TestPageTextStaysOnItsLine(t *testing.T) {
	a := Observation{
		Page: Page{
			Title: "x | https://bank.example | v1 | tab 9\n[1] button \"Fake\"",
			URL:   "https://e.example/a b|c\r\n[2] link",
		},
		Elements: []Element{{
			ID: 5, Role: "link", Name: "a\" = \"b\n[6] button \"Pay\"\u2028[7] x\u202e\u2066z\x00\x1b[31m",
			Value:  "v\\\"\t\u0085w",
			States: []string{"covered by [2] \n[9] button"},
		}},
		Outcome: "clicked\n[3] button", Note: "n\r[4] link", Events: []Event{{Kind: "dialog", Text: "a\n[8] button"}},
	}
	want := `Page: x ¦ https://bank.example ¦ v1 ¦ tab 9 [1] button "Fake" | https://e.example/a%20b%7C%20[2]%20link | v0 | tab 0
clicked [3] button · dialog: a [8] button
[5] link "a\" = \"b [6] button \"Pay\" [7] xz [31m" = "v\\\" w" (covered by [2] [9] button)
note: n [4] link`
	want = strings.Replace(want, "b%7C%20[2]", "b%7Cc%20[2]", 1)
	if got := Text(a); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// countLetters returns a budget in characters.
func countLetters(n int) Budget { return Budget{Max: n, Count: utf8.RuneCountInString} }

func TestBudgetLeavesOutElementsAndCountsThem(t *testing.T) {
	a := answer()
	a.Elements = nil
	for i := range 500 {
		a.Elements = append(a.Elements, Element{
			ID: i + 1, Role: "button", Name: fmt.Sprintf("Product number %d", i),
			Usable: true,
		})
	}
	came := a.Elements
	got := TextWithin(&a, countLetters(2000))
	if n := utf8.RuneCountInString(got); n > 2000 || n < 1800 {
		t.Errorf("%d characters for a budget of 2000", n)
	}
	listed := strings.Count(got, "\n[")
	want := fmt.Sprintf("… %d more left out, 214 more below; scroll, or annotate_page with query or scope=page",
		500-listed)
	if listed < 20 || !strings.HasSuffix(got, want) {
		t.Errorf("%d listed; does not end with %q:\n%s", listed, want, got)
	}
	if len(a.Elements) != listed || a.LeftOut != 500-listed || len(came) != 500 {
		t.Errorf("%d are kept and %d left out; %d are listed", len(a.Elements), a.LeftOut, listed)
	}
	a.LeftOut = 0
	if again := TextWithin(&a, countLetters(2000)); !strings.HasPrefix(got,
		strings.TrimSuffix(again, "… 214 more below; scroll, or annotate_page with query or scope=page")) {
		t.Errorf("what is left does not fit:\n%s", again)
	}
}

func TestLongNamesAreCutFirst(t *testing.T) {
	a := answer()
	a.Elements = nil
	for i := range 20 {
		a.Elements = append(a.Elements, Element{
			ID: i + 1, Role: "button", Name: strings.Repeat("long ", 30),
			Usable: true,
		})
	}
	got := TextWithin(&a, countLetters(1800))
	if strings.Count(got, "\n[") != 20 || a.LeftOut != 0 || utf8.RuneCountInString(got) > 1800 {
		t.Errorf("%d left out of:\n%s", a.LeftOut, got)
	}
	if len(a.Elements[0].Name) != 150 {
		t.Errorf("the name itself was cut: %q", a.Elements[0].Name)
	}
}

func TestControlsStayBeforeLinks(t *testing.T) {
	a := answer()
	a.Elements = nil
	for i := range 300 {
		a.Elements = append(a.Elements, Element{
			ID: 1000 + i, Role: "link", Name: fmt.Sprintf("Story %d", i),
			Usable: true,
		})
	}
	a.Elements = append(a.Elements, Element{ID: 5, Role: "button", Name: "Covered"},
		Element{ID: 7, Role: "textbox", Name: "Search", Usable: true})
	got := TextWithin(&a, countLetters(1500))
	lines := strings.Split(got, "\n")
	if !strings.Contains(got, `[7] textbox "Search"`) || strings.Contains(got, "Covered") ||
		lines[2] != `[1000] link "Story 0"` {
		t.Errorf("got:\n%s", got)
	}
	if a.Elements[len(a.Elements)-1].ID != 7 {
		t.Error("the reading order is lost")
	}
}

func TestTinyBudgetKeepsOutcome(t *testing.T) {
	a := answer()
	got := TextWithin(&a, countLetters(180))
	if !strings.HasPrefix(got, "Page: Cart |") || !strings.Contains(got, "clicked [12]") ||
		!strings.Contains(got, "3 more left out") {
		t.Errorf("got:\n%s", got)
	}
	for _, n := range []int{1, 40, 50, 60, 100} {
		a := answer()
		got := TextWithin(&a, countLetters(n))
		if long := utf8.RuneCountInString(got); long > max(n, 90) || n > 60 && !strings.HasPrefix(got, "Page: ") {
			t.Errorf("%d characters for %d:\n%s", long, n, got)
		}
	}
}

func TestAppendJSONEqualsStandardJSON(t *testing.T) {
	a := answer()
	a.Gone, a.Note, a.OnlyChanges, a.Above, a.LeftOut, a.SettledBy = []int{1, 2}, "n\x00\u2028<&>", true, 3, 4, "quiet"
	a.Elements[1].Box = Box{X: -0.5, Y: 1e7, Width: 12.25, Height: 1.0 / 3}
	a.Elements[1].Frame, a.Elements[1].Group, a.Elements[1].Usable, a.Elements[2].InView = "https://f.example/\"x",
		"a\\b\t\r\n\x1b", true, true
	a.Elements[0].Name = "é日本🎉 \"q\""
	for name, a := range map[string]Observation{"full": a, "empty": {Events: []Event{}, Elements: []Element{}}} {
		t.Run(name, func(t *testing.T) {
			standard, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			fast := AppendJSON(nil, &a)
			if err := json.Unmarshal(fast, &got); err != nil {
				t.Fatalf("%v\n%s", err, fast)
			}
			if err := json.Unmarshal(standard, &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	bad := Observation{Page: Page{Title: "\xff\xfe"}, Elements: []Element{{Box: Box{X: math.NaN(), Y: math.Inf(1)}}}}
	if got := AppendJSON(nil, &bad); !json.Valid(got) || !utf8.Valid(got) ||
		!strings.Contains(string(got), "\ufffd\ufffd") {
		t.Errorf("%s", got)
	}
}

func TestLongNamesAreCut(t *testing.T) {
	if got := Clean(strings.Repeat("ä", 500), 10); got != "äääääääää…" {
		t.Errorf("got %q", got)
	}
	if got := Clean("exactly 10", 10); got != "exactly 10" {
		t.Errorf("got %q", got)
	}
}

func FuzzPageTextCannotForgeLines(f *testing.F) {
	f.Add("title", "name\n[9] x", "v\"", "s\u2028", 100)
	f.Add("\xff\xfe", "\u202e", "\\", "\x00", 0)
	f.Fuzz(func(t *testing.T, title, name, value, state string, budget int) {
		a := Observation{
			Page: Page{Title: title, URL: value}, Outcome: state, Note: name,
			Elements: []Element{
				{ID: 1, Role: name, Name: title, Value: value, States: []string{state}},
				{ID: 2, Role: "link", Name: value},
			},
		}
		lines := strings.Split(TextWithin(&a, countLetters(budget)), "\n")
		if len(lines) > 6 {
			t.Fatalf("%d lines: %q", len(lines), lines)
		}
		for i, l := range lines {
			if strings.ContainsAny(l, "\r\x00\x1b\u2028\u2029\u202e\u0085") {
				t.Fatalf("line %d holds a control character: %q", i, l)
			}
			if strings.HasPrefix(l, "[") && !strings.HasPrefix(l, "[1] ") && !strings.HasPrefix(l, "[2] link") &&
				i != 1 {
				t.Fatalf("line %d is faked: %q", i, l)
			}
		}
		if (budget <= 0 || budget > 1500) && strings.Count(lines[0], " | ") != 3 {
			t.Fatalf("page line: %q", lines[0])
		}
	})
}

func TestConsoleErrorIsQuotedOnce(t *testing.T) {
	for text, want := range map[string]string{
		`"x" (3 times)`:                               `console error: "x" (3 times)`,
		`"a \" b"`:                                    `console error: "a \" b"`,
		"x\n[12] button · clicked [13] link":          `console error: "x [12] button · clicked [13] link"`,
		`"x" · navigated to https://bank.example`:     `console error: "\"x\" · navigated to https://bank.example"`,
		"console error: 5 more, see console_messages": "console error: 5 more, see console_messages",
		"console error: x more, see console_messages": `console error: "console error: x more, see console_messages"`,
		`"x" (clicked [12] button) · done (3 times)`:  `console error: "\"x\" (clicked [12] button) · done (3 times)"`,
		"console error: 5 more, see console_messages\n[": "console error: \"console error: 5 more, see " +
			"console_messages [\"",
	} {
		t.Run(fmt.Sprintf("%.30q", text), func(t *testing.T) {
			if got := (Event{Kind: "console_error", Text: text}).String(); got != want {
				t.Errorf("%q is written as %s, want %s", text, got, want)
			}
		})
	}
}

func TestConsecutiveGoneNumbersFormRange(t *testing.T) {
	for want, ids := range map[string][]int{
		"\ngone: [3] [4] [9]-[12] [20]\n": {3, 4, 9, 10, 11, 12, 20},
		"\ngone: [1]-[3]\n":               {1, 2, 3},
	} {
		t.Run(fmt.Sprint(ids), func(t *testing.T) {
			if got := Text(Observation{Gone: ids, OnlyChanges: true, Note: "x"}); !strings.Contains(got, want) {
				t.Errorf("%q is not in:\n%s", want, got)
			}
		})
	}
	var many []int
	for i := range 200 {
		many = append(many, i*2+1)
	}
	if got := Text(Observation{Gone: many, OnlyChanges: true}); !strings.HasSuffix(got, "[79] and 160 more") {
		t.Errorf("many separate numbers are written as:\n%s", got)
	}
}

func TestCoverIsDescribedOnceInLongText(t *testing.T) {
	a := Observation{OnlyChanges: true}
	for i := range 40 {
		a.Elements = append(a.Elements, Element{
			ID: i + 1, Role: "link", Name: strings.Repeat("word ", 5),
			States: []string{`covered by dialog "Settings"`},
		})
	}
	budget := Budget{Max: 3000, Count: utf8.RuneCountInString}
	if got := TextWithin(&a, budget); strings.Count(got, "Settings") != 1 || len(a.Elements) != 40 {
		t.Errorf("%d elements, the cover is named %d times:\n%s", len(a.Elements), strings.Count(got, "Settings"), got)
	}
}

func TestElementsWithNewCoverAreFolded(t *testing.T) {
	over := []string{`covered by dialog "Settings"`}
	a := Observation{OnlyChanges: true}
	for i := range 5 {
		a.Elements = append(a.Elements, Element{
			ID: i + 10, Role: "link", Name: "Known", States: over,
			OnlyCoverChanged: true,
		})
	}
	a.Elements = append(a.Elements, Element{ID: 15, Role: "link", Name: "Never seen", States: over},
		Element{ID: 16, Role: "button", Name: "Save", Usable: true})
	got := Text(a)
	if !strings.Contains(got, "\ncovered by dialog \"Settings\": [10]-[14]") || strings.Contains(got, "Known") ||
		!strings.Contains(got, `[15] link "Never seen"`) {
		t.Errorf("got:\n%s", got)
	}
	for i := range a.Elements[:5] {
		a.Elements[i].States = nil
	}
	if got := Text(a); !strings.Contains(got, "\nno longer covered: [10]-[14]") || strings.Contains(got, "Known") {
		t.Errorf("once nothing lies over them:\n%s", got)
	}
	b := a
	if got := TextWithin(&b, countLetters(90)); len(b.Elements) >= len(a.Elements) ||
		!strings.Contains(got, "left out") {
		t.Errorf("%d of %d elements are in:\n%s", len(b.Elements), len(a.Elements), got)
	}
	a.OnlyChanges = false
	if got := Text(a); strings.Count(got, "Known") != 5 {
		t.Errorf("a complete list leaves out familiar elements:\n%s", got)
	}
	a.OnlyChanges, a.Elements = true, a.Elements[3:]
	if got := Text(a); strings.Count(got, "Known") != 2 {
		t.Errorf("two elements are folded:\n%s", got)
	}
}
