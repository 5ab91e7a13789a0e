// Package excerpt shortens and cleans outside text so that it can be quoted in a message, a card, a title or a log
// line. It is not for text that a program reads again.
package excerpt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TruncateRunes returns the first n characters of text, followed by "…" if text is longer. Invalid UTF-8 is replaced.
func TruncateRunes(text string, n int) string {
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

// TruncateBytes returns at most the first n bytes of text, followed by "…" (3 more bytes) if text is longer. It does
// not split a character.
func TruncateBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// Line returns text as one line of at most n characters, with each run of white space replaced by one space. Cut text
// ends in "…", which counts as one of the characters.
func Line(text string, n int) string {
	line := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(line) <= n {
		return line
	}
	return TruncateRunes(line, n-1)
}

// FirstLines returns at most count lines from the start of text. Each is cut like TruncateBytes does, at width bytes.
func FirstLines(text string, count, width int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if len(lines) == count {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		lines = append(lines, TruncateBytes(strings.ToValidUTF8(line, "�"), width))
	}
	return lines
}

// PrefixLen returns the length in bytes of the longest prefix of text that has at most n bytes and does not split a
// character.
func PrefixLen[T ~string | ~[]byte](text T, n int) int {
	if n < len(text) {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		return n
	}
	end := len(text)
	for back := 1; back < utf8.UTFMax && back <= end; back++ {
		if utf8.RuneStart(text[end-back]) {
			if !utf8.FullRuneInString(string(text[end-back:])) {
				return end - back
			}
			break
		}
	}
	return end
}

// Printable returns text without the control characters that a terminal or a log viewer could interpret: all except
// line feed and tab. Invalid UTF-8 is replaced.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
}

// CanHideText reports whether r is a letter or mark without a shape, in which a text can be hidden: a tag, a filler or
// a variation selector other than that of emoji.
func CanHideText(r rune) bool {
	return r >= 0xE0000 && r <= 0xE0FFF || r >= 0xFE00 && r <= 0xFE0E ||
		r == 0x034F || r == 0x115F || r == 0x1160 || r == 0x17B4 || r == 0x17B5 || r == 0x3164 || r == 0xFFA0
}

// Escape replaces characters that a person cannot see, or that change the direction of reading, by \uXXXX. Line breaks
// and spaces other than U+0020 are among them.
func Escape(text string) string { return escape(text, "") }

// EscapeLines is like Escape, but keeps line breaks.
func EscapeLines(text string) string { return escape(text, "\n") }

func escape(text, keep string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case unicode.IsPrint(c) && !CanHideText(c) && c != 0x2800 || strings.ContainsRune(keep, c):
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "\\u%04x", c)
		}
	}
	return b.String()
}

// Sentence returns s with a full stop at its end, unless it is empty or ends with one or with an ellipsis.
func Sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}
