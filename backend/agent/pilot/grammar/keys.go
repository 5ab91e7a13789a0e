package grammar

import (
	"fmt"
	"strconv"
	"strings"

	"sextant/backend/agent/pilot/grammar/token"
)

// readKey reads a key with its modifiers: "Enter", "Control+a", "page down". It rejects a number unless "key"
// follows, because it is more likely a number on the page.
func readKey(g *Parser, ts []token.Token) ([]parsedValue, string) {
	if len(ts) > 0 && !ts[0].Quoted {
		if n, ok := token.ParseNumber(ts[0]); ok && (len(ts) == 1 || !token.IsOneOf(ts[1], "key")) {
			return nil, fmt.Sprintf(
				"press is for keys. Say \"click %d\" for the number on the page, or \"press key %s\" for the key.",
				n,
				ts[0].Word,
			)
		}
	}
	return readAnyKey(g, ts)
}

func readAnyKey(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	var all []parsedValue
	for n := min(4, len(ts)); n > 0; n-- {
		name := make([]string, 0, n)
		for _, t := range ts[:n] {
			name = append(name, strings.TrimRight(t.Text, ",;"))
		}
		if key, ok := keyName(name); ok {
			shown := key
			if key == "," || key == ";" || !plainKey(key) {
				shown = token.Quote(key)
			}
			all = append(all, parsedValue{n, key, shown})
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
		Abbreviate(strings.Join(text, " ")),
	)
}

func plainKey(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool {
		return !(r == '+' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// keyName returns the key's name in browsers, with modifiers before a plus, or false if parts are no key.
func keyName(parts []string) (string, bool) {
	joined := strings.Join(parts, "+")
	if joined == "+" {
		return "+", true
	}
	var out []string
	pieces := strings.Split(strings.ReplaceAll(joined, "-", "+"), "+")
	if len([]rune(joined)) == 1 {
		return joined, true
	}
	for i := 0; i < len(pieces); i++ {
		two := strings.ToLower(pieces[i])
		if i+1 < len(pieces) {
			if k := knownKey(two + strings.ToLower(pieces[i+1])); k != "" {
				out = append(out, k)
				i++
				continue
			}
		}
		switch k := knownKey(two); {
		case k != "":
			out = append(out, k)
		case len([]rune(pieces[i])) == 1:
			out = append(out, pieces[i])
		default:
			return "", false
		}
	}
	for i, k := range out {
		modifier := k == "Control" || k == "Alt" || k == "Shift" || k == "Meta"
		if modifier == (i == len(out)-1) && !(modifier && len(out) == 1) {
			return "", false
		}
	}
	return strings.Join(out, "+"), true
}

func knownKey(lower string) string {
	if rest, ok := strings.CutPrefix(lower, "f"); ok {
		if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= 12 {
			return "F" + strconv.Itoa(n)
		}
	}
	switch lower {
	case "enter", "return":
		return "Enter"
	case "esc", "escape":
		return "Escape"
	case "tab":
		return "Tab"
	case "space", "spacebar":
		return "Space"
	case "backspace":
		return "Backspace"
	case "del", "delete":
		return "Delete"
	case "insert":
		return "Insert"
	case "home":
		return "Home"
	case "end":
		return "End"
	case "pageup":
		return "PageUp"
	case "pagedown":
		return "PageDown"
	case "up", "arrowup", "uparrow":
		return "ArrowUp"
	case "down", "arrowdown", "downarrow":
		return "ArrowDown"
	case "left", "arrowleft", "leftarrow":
		return "ArrowLeft"
	case "right", "arrowright", "rightarrow":
		return "ArrowRight"
	case "ctrl", "control", "strg":
		return "Control"
	case "alt", "option":
		return "Alt"
	case "shift":
		return "Shift"
	case "cmd", "command", "meta", "super":
		return "Meta"
	}
	return ""
}
