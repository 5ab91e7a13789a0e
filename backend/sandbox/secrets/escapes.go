package secrets

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoding is one way to decode the text at an offset: the next size bytes decode to text. A size of 0 means that it
// cannot be decoded this way.
type decoding struct {
	text string
	size int
}

func decodings(text string, i int) [2]decoding {
	if i >= len(text) {
		return [2]decoding{}
	}
	return [2]decoding{{text[i : i+1], 1}, decodeEscape(text[i:])}
}

func decodeEscape(s string) decoding {
	switch s[0] {
	case '+':
		return decoding{" ", 1}
	case '%':
		if len(s) >= 3 {
			if b, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
				return decoding{string([]byte{byte(b)}), 3}
			}
		}
	case '\\':
		return decodeBackslash(s)
	case '&':
		return decodeEntity(s)
	}
	return decoding{}
}

func decodeBackslash(s string) decoding {
	if len(s) < 2 {
		return decoding{}
	}
	switch s[1] {
	case '"', '\\', '/', '\'', '`':
		return decoding{s[1:2], 2}
	case 'n':
		return decoding{"\n", 2}
	case 'r':
		return decoding{"\r", 2}
	case 't':
		return decoding{"\t", 2}
	case 'x':
		if len(s) >= 4 {
			if b, err := strconv.ParseUint(s[2:4], 16, 8); err == nil {
				return decoding{string([]byte{byte(b)}), 4}
			}
		}
	case 'u':
		r, ok := parseUnicodeEscape(s)
		if !ok {
			return decoding{}
		}
		if utf16.IsSurrogate(r) {
			low, ok := parseUnicodeEscape(s[6:])
			if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
				return decoding{string(pair), 12}
			}
			return decoding{}
		}
		return decoding{string(r), 6}
	}
	return decoding{}
}

func parseUnicodeEscape(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

func decodeEntity(s string) decoding {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 3 {
		return decoding{}
	}
	name := s[1:end]
	switch name {
	case "amp":
		return decoding{"&", end + 1}
	case "lt":
		return decoding{"<", end + 1}
	case "gt":
		return decoding{">", end + 1}
	case "quot":
		return decoding{`"`, end + 1}
	case "apos":
		return decoding{"'", end + 1}
	}
	number, found := strings.CutPrefix(name, "#")
	if !found {
		return decoding{}
	}
	base := 10
	if rest, hex := strings.CutPrefix(strings.ToLower(number), "x"); hex {
		number, base = rest, 16
	}
	n, err := strconv.ParseUint(number, base, 21)
	if err != nil {
		return decoding{}
	}
	return decoding{string(rune(n)), end + 1}
}
