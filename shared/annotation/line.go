package annotation

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/shared/excerpt"
)

// Maximum lengths of the parts of a line, in runes. Text of a page can have any length.
const (
	maxRole  = 40
	maxName  = 160
	maxValue = 200
	maxState = 160
)

// Line returns e as one line: `[13] textbox "Name" = "Ana" (required)`.
func Line(e Element) string { return string(appendLine(nil, &e, maxName)) }

// appendLine appends the line of e without a line break. The name, the value and each state have at most longest runes.
func appendLine(b []byte, e *Element, longest int) []byte {
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(e.ID), 10)
	b = append(b, "] "...)
	b = append(b, Clean(e.Role, maxRole)...)
	if n := Clean(e.Name, min(maxName, longest)); n != "" {
		b = append(b, ' ')
		b = appendQuoted(b, n)
	}
	if v := Clean(e.Value, min(maxValue, longest+maxValue-maxName)); v != "" {
		b = append(b, " = "...)
		b = appendQuoted(b, v)
	}
	for i, s := range e.States {
		if i == 0 {
			b = append(b, " ("...)
		} else {
			b = append(b, ", "...)
		}
		b = append(b, Clean(s, min(maxState, longest))...)
	}
	if len(e.States) > 0 {
		b = append(b, ')')
	}
	return b
}

// Quote returns s in double quotes, with quotes and backslashes escaped. s must come from Clean.
func Quote(s string) string { return string(appendQuoted(nil, s)) }

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for {
		i := strings.IndexAny(s, `"\`)
		if i < 0 {
			break
		}
		b = append(b, s[:i]...)
		b = append(b, '\\', s[i])
		s = s[i+1:]
	}
	b = append(b, s...)
	return append(b, '"')
}

// Clean makes text from outside safe for one line of at most limit runes. It removes invisible characters, replaces
// runs of white space and control characters by one space, and replaces invalid UTF-8. Cut text ends in "…".
func Clean(s string, limit int) string {
	if isClean(s) && len(s) <= limit {
		return s
	}
	var b strings.Builder
	n, gap := 0, false
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				r = '\uFFFD'
			}
		}
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			gap = n > 0
			continue
		case r != '\u200d' && unicode.In(r, unicode.Cf, unicode.Co), r == '\u200d' && n == 0, excerpt.CanHideText(r):
			continue
		}
		if n+1 >= limit && hasMore(s[i:]) {
			b.WriteString("…")
			return b.String()
		}
		if gap {
			b.WriteByte(' ')
			n++
			gap = false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// CleanLines is like Clean for text of any length that keeps its line breaks and tabs. CRLF, U+2028 and U+2029 become
// "\n"; other control characters and invisible ones, except the zero-width joiner, are removed.
func CleanLines(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsControl(r), r != '\u200d' && unicode.In(r, unicode.Cf, unicode.Co), excerpt.CanHideText(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"))
}

// isClean reports whether s is printable ASCII with single spaces, so that Clean would not change it.
func isClean(s string) bool {
	gap := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && gap {
			return false
		}
		gap = c == ' '
	}
	return !gap || s == ""
}

func hasMore(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size < len(s)
}
