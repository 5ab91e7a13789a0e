// Package keys classifies keys and chords such as "Control+v" by their effect on a page.
package keys

import (
	"slices"
	"strings"
	"unicode/utf8"
)

func chord(key string) (last string, modified bool) {
	key = strings.ToLower(key)
	parts := strings.Split(key, "+")
	if key == "+" || strings.HasSuffix(key, "++") { // the last key is "+"
		parts = append(parts[:len(parts)-2], "+")
	}
	last = parts[len(parts)-1]
	return last, slices.ContainsFunc(parts[:len(parts)-1], func(k string) bool { return k != "shift" })
}

// EntersText reports whether a key puts text into a field: a character, or the clipboard.
func EntersText(key string) bool {
	last, modified := chord(key)
	return IsPaste(key) || !modified && (utf8.RuneCountInString(key) == 1 || utf8.RuneCountInString(last) == 1)
}

// IsPaste reports whether a chord pastes.
func IsPaste(key string) bool {
	last, modified := chord(key)
	return modified && last == "v" || strings.EqualFold(key, "Shift+Insert")
}

// IsCopy reports whether a chord copies or cuts the selection.
func IsCopy(key string) bool {
	last, modified := chord(key)
	return modified && (last == "c" || last == "x" || last == "insert") || strings.EqualFold(key, "Shift+Delete")
}

// IsEnter reports whether a key presses the focused button, or sends the form of the focused field.
func IsEnter(key string) bool {
	last, _ := chord(key)
	return last == "enter" || last == "numpadenter" || last == "return"
}

// IsSpace reports whether a key presses the focused button, or enters a space.
func IsSpace(key string) bool {
	last, _ := chord(key)
	return last == " " || last == "space"
}
