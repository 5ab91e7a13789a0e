// Package alike compares the roles, names and texts of elements of a page with recorded ones.
package alike

import (
	"slices"
	"strings"
	"unicode"

	"sextant/shared/annotation"
)

// Words returns the letters, digits and # of text in lower case, its words separated by one space.
func Words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// kinds are roles that a page may give to the same control.
var kinds = [][]string{
	{"button", "link", "menuitem", "clickable", "tab"},
	{"textbox", "searchbox", "combobox", "spinbutton"},
	{"checkbox", "switch", "menuitemcheckbox"},
	{"radio", "menuitemradio"},
	{"listbox", "combobox"},
}

// Roles reports whether a page may give the role b to a control that had the role a.
func Roles(a, b string) bool {
	return a == b || a == annotation.AnyRole || slices.ContainsFunc(kinds, func(kind []string) bool {
		return slices.Contains(kind, a) && slices.Contains(kind, b)
	})
}

// Name is like Words, but leaves out # and a count in parentheses at the end. A name of signs only stays as it is.
func Name(s string) string {
	s = strings.TrimSpace(s)
	if open := strings.LastIndexByte(s, '('); open > 0 && strings.HasSuffix(s, ")") {
		if count := s[open+1 : len(s)-1]; count != "" && strings.Trim(count, "0123456789") == "" {
			s = s[:open]
		}
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return s // only signs, such as × or +
	}
	return strings.Join(words, " ")
}
