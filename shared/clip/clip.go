// Package clip shortens text from outside, so that a message, a log line or a title that
// quotes it keeps its size. What is left is valid UTF-8 and ends in "…"; nothing else is
// changed, so it is not for text that is read again by a program.
package clip

import (
	"strings"
	"unicode/utf8"
)

// Runes is text, cut after its first n characters.
func Runes(text string, n int) string {
	text = strings.ToValidUTF8(text, "�")
	count := 0
	for i := range text {
		if count == n {
			return text[:i] + "…"
		}
		count++
	}
	return text
}

// Bytes is text, cut after at most n bytes and between two characters.
func Bytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
