package secrets

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unit is one reading of the text at a place: n bytes of it say says. n is 0 for none.
type unit struct {
	says string
	n    int
}

// units are the readings of text at i: as it stands, and as an escape of an address, of JSON or of
// HTML.
func units(text string, i int) [2]unit {
	if i >= len(text) {
		return [2]unit{}
	}
	return [2]unit{{text[i : i+1], 1}, escape(text[i:])}
}

func escape(s string) unit {
	switch s[0] {
	case '+':
		return unit{" ", 1}
	case '%':
		if len(s) >= 3 {
			if b, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
				return unit{string([]byte{byte(b)}), 3}
			}
		}
	case '\\':
		return backslash(s)
	case '&':
		return entity(s)
	}
	return unit{}
}

// backslash is an escape of JSON or of a script.
func backslash(s string) unit {
	if len(s) < 2 {
		return unit{}
	}
	switch s[1] {
	case '"', '\\', '/', '\'', '`':
		return unit{s[1:2], 2}
	case 'n':
		return unit{"\n", 2}
	case 'r':
		return unit{"\r", 2}
	case 't':
		return unit{"\t", 2}
	case 'x':
		if len(s) >= 4 {
			if b, err := strconv.ParseUint(s[2:4], 16, 8); err == nil {
				return unit{string([]byte{byte(b)}), 4}
			}
		}
	case 'u':
		r, ok := codePoint(s)
		if !ok {
			return unit{}
		}
		if utf16.IsSurrogate(r) {
			low, ok := codePoint(s[6:])
			if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
				return unit{string(pair), 12}
			}
			return unit{}
		}
		return unit{string(r), 6}
	}
	return unit{}
}

func codePoint(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// entity is a character as HTML writes those that it has to escape, and any by number.
func entity(s string) unit {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 3 {
		return unit{}
	}
	name := s[1:end]
	switch name {
	case "amp":
		return unit{"&", end + 1}
	case "lt":
		return unit{"<", end + 1}
	case "gt":
		return unit{">", end + 1}
	case "quot":
		return unit{`"`, end + 1}
	case "apos":
		return unit{"'", end + 1}
	}
	number, found := strings.CutPrefix(name, "#")
	if !found {
		return unit{}
	}
	base := 10
	if rest, hex := strings.CutPrefix(strings.ToLower(number), "x"); hex {
		number, base = rest, 16
	}
	n, err := strconv.ParseUint(number, base, 21)
	if err != nil {
		return unit{}
	}
	return unit{string(rune(n)), end + 1}
}
