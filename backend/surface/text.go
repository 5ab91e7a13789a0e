package surface

import (
	"strings"

	"sextant/shared/annotation"
)

// QuoteText returns a page's text on one line of at most runes runes, in quotation marks and with those in it escaped.
func QuoteText(s string, runes int) string { return annotation.Quote(annotation.Clean(s, runes)) }

// Truncate truncates s to at most runes runes. A truncated text ends with "…", which is one of them.
func Truncate(s string, runes int) string {
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

// WithoutFragment returns an address up to its #.
func WithoutFragment(address string) string {
	before, _, _ := strings.Cut(address, "#")
	return before
}
