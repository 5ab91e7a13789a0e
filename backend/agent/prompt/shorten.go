package prompt

import (
	"fmt"
	"unicode/utf8"
)

// MaxResultChars limits the characters of one result that a model reads.
const MaxResultChars = 24_000

// Shorten cuts s after MaxResultChars characters and says so at its end.
func Shorten(s string) string {
	if len(s) <= MaxResultChars {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= MaxResultChars {
		return s
	}
	cut := string([]rune(s)[:MaxResultChars])
	return fmt.Sprintf(
		"%s\n… cut here: %d of %d characters shown. Ask for a part, a query or an offset to read the rest.",
		cut,
		MaxResultChars,
		n,
	)
}
