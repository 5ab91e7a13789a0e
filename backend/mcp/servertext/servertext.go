// Package servertext prepares text from an MCP server for a person to read: it bounds the length and escapes
// invisible characters.
package servertext

import (
	"strings"
	"unicode"

	"sextant/shared/excerpt"
)

// OneLine returns the first n characters of text on one line, with "…" if there are more and with invisible characters
// escaped.
func OneLine(text string, n int) string {
	return excerpt.Escape(excerpt.TruncateRunes(strings.Join(strings.Fields(text), " "), n))
}

// Lines returns the first n characters of text with its line breaks, with "…" if there are more and with invisible
// characters escaped.
func Lines(text string, n int) string {
	lines := strings.Split(excerpt.TruncateRunes(strings.ReplaceAll(text, "\r\n", "\n"), n), "\n")
	for i, line := range lines {
		lines[i] = excerpt.Escape(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// MaxSentence is how many characters of an error's text Sentence returns.
const MaxSentence = 900

// Sentence returns an error's text on one line, with a capital letter first.
func Sentence(text string) string {
	line := []rune(OneLine(text, MaxSentence))
	if len(line) > 0 {
		line[0] = unicode.ToUpper(line[0])
	}
	return string(line)
}
