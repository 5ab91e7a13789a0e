package observation

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/tools/tokens"
	"sextant/backend/tools/tokens/tokenstest"
	"sextant/shared/annotation"
)

func anyAnswer(t *rapid.T) annotation.Observation {
	text := tokenstest.HostileText()
	element := rapid.Custom(func(t *rapid.T) annotation.Element {
		return annotation.Element{
			ID:   rapid.IntRange(1, 1<<30).Draw(t, "id"),
			Role: rapid.SampledFrom([]string{"link", "button", "textbox"}).Draw(t, "role"),
			Name: text.Draw(t, "name"), Value: text.Draw(t, "value"),
			States: rapid.SliceOfN(text, 0, 2).Draw(t, "states"),
			Usable: rapid.Bool().Draw(t, "usable"),
		}
	})
	some := rapid.SliceOfN(element, 1, 3).Draw(t, "elements")
	return annotation.Observation{
		Page:    annotation.Page{Title: text.Draw(t, "title"), URL: text.Draw(t, "url"), Version: 12345, Tab: 7},
		Outcome: text.Draw(t, "outcome"),
		Events: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) annotation.Event {
			return annotation.Event{Kind: rapid.SampledFrom([]string{"dialog", "navigated", "console_error"}).Draw(t,
				"kind"), Text: text.Draw(t, "event")}
		}), 0, 14).Draw(t, "events"),
		Elements: slices.Repeat(some, rapid.IntRange(0, 60).Draw(t, "times")),
		Gone:     rapid.SliceOfN(rapid.IntRange(1, 1<<30), 0, 60).Draw(t, "gone"),
		Above:    rapid.IntRange(0, 1<<30).Draw(t, "above"), Below: rapid.IntRange(0, 1<<30).Draw(t, "below"),
		Note: text.Draw(t, "note"),
	}
}

func TestResultFitsTokenBudget(t *testing.T) {
	t.Parallel()
	var counter tokens.Counter
	rapid.Check(t, func(rt *rapid.T) {
		a := anyAnswer(rt)
		budget := rapid.SampledFrom([]int{100, 150, 300, 2000}).Draw(rt, "budget")
		before := rapid.SampledFrom([]string{"", "1 clicked [5] button \"x\"\n"}).Draw(rt, "before")
		r := Result(a, before, budget, counter.Count, "done")
		if n := tokenstest.HighestCount(t, r.Text); n > budget {
			rt.Fatalf("%d tokens for %d:\n%s", n, budget, r.Text)
		}
		v, ok := r.Value.(Value)
		if !ok || len(v.Elements)+v.LeftOut != len(a.Elements) {
			rt.Fatalf("%d listed and %d left out of %d", len(v.Elements), v.LeftOut, len(a.Elements))
		}
		if !strings.HasPrefix(r.Text, before+"Page: ") {
			rt.Fatalf("the page line is not there:\n%s", r.Text)
		}
	})
}
