package surface

import (
	"strings"

	"sextant/shared/annotation"
)

// QuoteClean is a page's words on one line and in quotes that they cannot end.
func QuoteClean(s string, runes int) string { return annotation.Quote(annotation.Clean(s, runes)) }

// Clip bounds a text that came from a page.
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
