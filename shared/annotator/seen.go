package annotator

import (
	"strings"
	"unicode"
)

// Seen is text that a person is asked about or sends as theirs without what cannot be seen in it: they
// would agree to what they did not read. Control and format characters, tags, private and unassigned ones,
// variation selectors and blank fillers are left out; line ends and tabs stay, invalid UTF-8 is replaced.
// The window has the same rule for messages that pages propose.
func Seen(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z),
			unicode.Is(unicode.Variation_Selector, r), isTag(r),
			r == 0x034F, r == 0x17B4, r == 0x17B5, r == 0x2800:
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"))
}
