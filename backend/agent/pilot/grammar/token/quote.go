package token

import (
	"strings"

	"sextant/shared/excerpt"
)

// Abbreviate returns s on one line, cut to 60 characters, for quoting.
func Abbreviate(s string) string {
	return excerpt.TruncateRunes(strings.Join(strings.Fields(s), " "), 60)
}

// FirstSentence returns the first sentence of s without its full stop, cut to 100 characters and with escaped links.
func FirstSentence(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if s, _, ok := strings.Cut(first, ". "); ok {
		first = s
	}
	return strings.TrimSuffix(excerpt.TruncateRunes(EscapeLinks(first), 100), ".")
}

// EscapeLinks escapes s so that text from a page cannot become a link or an image in a formatted answer.
func EscapeLinks(s string) string { return strings.ReplaceAll(s, "](", "] (") }
