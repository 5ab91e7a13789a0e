package annotation

import (
	"strings"
	"unicode"

	"sextant/shared/excerpt"
)

// StripInvisible returns text without invisible characters, so that a person cannot agree to something unseen. It keeps
// line breaks and tabs, and replaces invalid UTF-8. The window does the same with messages that pages propose.
func StripInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z),
			unicode.Is(unicode.Variation_Selector, r), excerpt.CanHideText(r), r == 0x2800:
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"))
}
