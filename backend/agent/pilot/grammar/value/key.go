package value

import (
	"fmt"
	"strings"

	"sextant/backend/agent/pilot/grammar/spelling"
	"sextant/backend/agent/pilot/grammar/token"
)

// Key reads a key with its modifiers: "Enter", "Control+a", "page down". It rejects a number unless "key"
// follows, because it is more likely a number on the page.
func Key(ts []token.Token) ([]Parsed, string) {
	if len(ts) > 0 && !ts[0].Quoted {
		if n, ok := token.ParseNumber(ts[0]); ok && (len(ts) == 1 || !token.IsOneOf(ts[1], "key")) {
			return nil, fmt.Sprintf(
				"press is for keys. Say \"click %d\" for the number on the page, or \"press key %s\" for the key.",
				n,
				ts[0].Word,
			)
		}
	}
	return AnyKey(ts)
}

// AnyKey reads a key with its modifiers, also one whose name is a number.
func AnyKey(ts []token.Token) ([]Parsed, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	var all []Parsed
	for n := min(4, len(ts)); n > 0; n-- {
		name := make([]string, 0, n)
		for _, t := range ts[:n] {
			name = append(name, strings.TrimRight(t.Text, ",;"))
		}
		if key, ok := spelling.KeyName(name); ok {
			shown := key
			if key == "," || key == ";" || !spelling.IsPlainKey(key) {
				shown = token.Quote(key)
			}
			all = append(all, Parsed{n, key, shown})
		}
	}
	if len(all) > 0 {
		return all, ""
	}
	text := make([]string, 0, len(ts))
	for _, t := range token.SkipEnd(ts, "key") {
		text = append(text, t.Text)
	}
	return nil, fmt.Sprintf(
		"There is no key %q. Keys are Enter, Escape, Tab, ArrowDown, PageDown, F5, a letter, or Control+a.",
		token.Abbreviate(strings.Join(text, " ")),
	)
}
