// Package mend makes right values out of what people and models write into a manifest instead:
// a backend in one string, tools by their names, an endpoint with a host. Each is a guess that
// stands in a problem's mended example, for its reader to take or to leave; the judge never
// acts on one. What a value says of itself is text from outside, so every guess keeps the
// rules of package shape, whatever it was made from.
package mend

import (
	"regexp"
	"strings"
	"unicode"

	"sextant/backend/tools/panels/manifest/shape"
)

var ruleHost = regexp.MustCompile(`[A-Za-z0-9*][A-Za-z0-9.*-]*\.[A-Za-z0-9.-]+|localhost`)

// Host is the host name in text, an example where there is none.
func Host(text string) string {
	if host := ruleHost.FindString(text); host != "" {
		return strings.TrimRight(host, ".-")
	}
	return "api.example.com"
}

// Key is text as the name of a setting or of a context key.
func Key(text string) string {
	name := regexp.MustCompile(`[^A-Za-z0-9_]+`).ReplaceAllString(text, "_")
	name = strings.TrimLeft(strings.Trim(name, "_"), "0123456789")
	if !shape.IsKey(name) {
		return "key"
	}
	return name
}

// Name is text in small letters and digits with mark between its words, at most high long.
func Name(text string, mark rune, high int) string {
	var b strings.Builder
	previous := mark
	for _, c := range text {
		small := unicode.ToLower(c)
		switch {
		case small >= 'a' && small <= 'z' || small >= '0' && small <= '9':
			if unicode.IsUpper(c) && previous != mark && !unicode.IsUpper(previous) {
				b.WriteRune(mark)
			}
			b.WriteRune(small)
			previous = c
		case previous != mark:
			b.WriteRune(mark)
			previous = mark
		}
		if b.Len() > 2*high {
			break
		}
	}
	name := strings.TrimLeft(b.String(), "0123456789"+string(mark))
	return strings.TrimRight(name[:min(len(name), high)], string(mark))
}

// Title is a name as a title: "field-notes" is "Field notes".
func Title(name string) string {
	text := strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c == '-' || c == '_' || c == ' ' }), " ")
	runes := []rune(text)
	if len(runes) == 0 {
		return "Panel"
	}
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes[:min(len(runes), shape.MaxTitle)])
}
