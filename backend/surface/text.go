package surface

import (
	"strings"

	"sextant/shared/annotation"
)

// QuoteText quotes at most runes runes of a page's text on one line and escapes quotation marks in it.
func QuoteText(s string, runes int) string { return annotation.Quote(annotation.Clean(s, runes)) }

// Clip truncates a page's text to a number of runes.
func Clip(s string, runes int) string {
	if len(s) <= runes {
		return s
	}
	r := []rune(s)
	if len(r) <= runes {
		return s
	}
	return string(r[:runes-1]) + "…"
}

// ContainsFold reports whether s contains part, ignoring case.
func ContainsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
