package tokens

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/tools/tokens/tokenstest"
)

func TestFitKeepsBudgetAndLosesNothing(t *testing.T) {
	t.Parallel()
	var c Counter
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(tokenstest.HostileText(), 1, 12).Draw(rt, "parts")
		text := strings.Join(parts, rapid.SampledFrom([]string{"\n", " ", ""}).Draw(rt, "between"))
		text = strings.ToValidUTF8(text, "?")
		budget := rapid.SampledFrom([]int{20, 100, 500}).Draw(rt, "budget")
		for rest := text; rest != ""; {
			part := rest[:c.Fit(rest, budget)]
			if n := tokenstest.HighestCount(t, part); n > budget {
				rt.Fatalf("%d tokens for %d: %q", n, budget, part)
			}
			rest = rest[len(part):]
		}
	})
}

func TestCountIsHighestOfTokenizers(t *testing.T) {
	t.Parallel()
	var c Counter
	for _, text := range []string{"", "word", "Adjustable desk lamp", strings.Repeat("龘", 3000)} {
		for range 2 {
			if got, want := c.Count(text), tokenstest.HighestCount(t, text); got != want {
				t.Errorf("%.20q: %d tokens, want %d", text, got, want)
			}
		}
	}
}
