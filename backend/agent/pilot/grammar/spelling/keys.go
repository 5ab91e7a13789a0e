package spelling

import (
	"strconv"
	"strings"
)

// IsPlainKey reports whether a key's name consists of letters, digits and plus signs.
func IsPlainKey(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool {
		return !(r == '+' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}

// KeyName returns the key's name in browsers, with modifiers before a plus, or false if parts are no key.
func KeyName(parts []string) (string, bool) {
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
