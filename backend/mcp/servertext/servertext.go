// Package servertext prepares text from an MCP server for a person to read: it bounds the length and escapes
// invisible characters, so that the text can neither hide nor imitate anything.
package servertext

import (
	"strings"
	"unicode"

	"sextant/shared/excerpt"
)

// OneLine returns text on one line of at most n characters.
func OneLine(text string, n int) string {
	return excerpt.Escape(excerpt.Runes(strings.Join(strings.Fields(text), " "), n))
}

// Lines returns at most n characters of text with its line breaks.
func Lines(text string, n int) string {
	lines := strings.Split(excerpt.Runes(strings.ReplaceAll(text, "\r\n", "\n"), n), "\n")
	for i, line := range lines {
		lines[i] = excerpt.Escape(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// MaxSentence bounds a Sentence in characters.
const MaxSentence = 900

// Sentence returns an error's text on one line, with a capital letter first.
func Sentence(text string) string {
	line := []rune(OneLine(text, MaxSentence))
	if len(line) > 0 {
		line[0] = unicode.ToUpper(line[0])
	}
	return string(line)
}
