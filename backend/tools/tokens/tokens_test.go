package tokens

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

// highestCount counts a text as one piece with the tokenizer that counts higher.
func highestCount(t testing.TB, text string) int {
	t.Helper()
	most := 0
	for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		c, err := tokenizer.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, n)
	}
	return most
}

func hostileText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringN(0, 400, 900),
		rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), 0, 300, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("qxzvjkwQXZVJ")), 0, 300, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("漢字仮名交じり文龘靐齉")), 0, 200, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("👩‍👩‍👧‍👦🏴🇩🇪🫠🧑🏽‍🚀")), 0, 200, -1),
		rapid.SampledFrom([]string{"Save", "Adjustable desk lamp no. 12, brass", strings.Repeat("a", 500)}),
	)
}

func TestFitKeepsBudgetAndLosesNothing(t *testing.T) {
	t.Parallel()
	var c Counter
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(hostileText(), 1, 12).Draw(rt, "parts")
		text := strings.Join(parts, rapid.SampledFrom([]string{"\n", " ", ""}).Draw(rt, "between"))
		text = strings.ToValidUTF8(text, "?")
		budget := rapid.SampledFrom([]int{20, 100, 500}).Draw(rt, "budget")
		for rest := text; rest != ""; {
			part := rest[:c.Fit(rest, budget)]
			if n := highestCount(t, part); n > budget {
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
			if got, want := c.Count(text), highestCount(t, text); got != want {
				t.Errorf("%.20q: %d tokens, want %d", text, got, want)
			}
		}
	}
}
