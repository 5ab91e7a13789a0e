// Package tokenstest provides helpers for tests of token budgets.
package tokenstest

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

// HighestCount returns the higher of the two tokenizers' counts. It counts text as one piece.
func HighestCount(t testing.TB, text string) int {
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

// HostileText generates names and texts that a malicious page may use.
func HostileText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringN(0, 400, 900),
		rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), 0, 300, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("qxzvjkwQXZVJ")), 0, 300, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("漢字仮名交じり文龘靐齉")), 0, 200, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("👩‍👩‍👧‍👦🏴🇩🇪🫠🧑🏽‍🚀")), 0, 200, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune(`"\[]()=,|…·«» 	`)), 0, 300, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("ৰ২ꙮ̷̢̛ཧྱཾ⸘‽")), 0, 200, -1),
		rapid.SampledFrom([]string{
			"Save", "Add to cart", "Adjustable desk lamp no. 12, brass",
			strings.Repeat("a", 500),
		}),
	)
}
