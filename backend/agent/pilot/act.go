package pilot

import (
	"fmt"
	"strconv"
	"strings"
)

func click(_ grammar, _ string, ts []token) (step, *trouble) {
	args := map[string]any{}
	rest := ts
	switch {
	case isOneOf(rest[0], "double right middle triple") && len(rest) > 1 && isOneOf(rest[1], "click"):
		clickKind(args, rest[0].word)
		rest = rest[2:]
	case isOneOf(rest[0], "doubleclick double-click rightclick right-click"):
		clickKind(args, strings.TrimSuffix(strings.TrimSuffix(rest[0].word, "click"), "-"))
		rest = rest[1:]
	case isOneOf(rest[0], "click tap"):
		rest = rest[1:]
	default:
		return step{}, nil
	}
	for len(rest) > 0 {
		last := rest[len(rest)-1]
		switch {
		case isOneOf(last, "double twice right middle triple"):
			clickKind(args, last.word)
		case !isOneOf(last, "button click with the times"):
			n, ok := id(rest)
			if !ok {
				return need("click takes a number from the page, for example click 3. Say \"annotate\" followed by a word to find its number.")
			}
			args["annotationId"] = n
			return call("click_element", args), nil
		}
		rest = rest[:len(rest)-1]
	}
	return need("click takes a number from the page, for example click 3. Say \"annotate\" for the numbers.")
}

func clickKind(args map[string]any, word string) {
	switch word {
	case "double", "twice":
		args["count"] = 2
	case "triple":
		args["count"] = 3
	default:
		args["button"] = word
	}
}

func hover(_ grammar, _ string, ts []token) (step, *trouble) {
	rest, ok := starts(ts, "hover")
	if !ok {
		if rest, ok = starts(ts, "point"); !ok {
			return step{}, nil
		}
	}
	n, ok := id(rest)
	if !ok {
		return need("hover takes a number from the page, for example hover 3.")
	}
	return call("hover_element", map[string]any{"annotationId": n}), nil
}

// typing reads "type TEXT into 4", "type into 4 TEXT" and "fill 4 with TEXT".
func typing(_ grammar, said string, ts []token) (step, *trouble) {
	if !isOneOf(ts[0], "type enter write input fill put") || len(ts) == 1 && ts[0].word == "enter" {
		return step{}, nil
	}
	const hint = "type takes a text and a number, for example type hello into 4."
	rest := ts[1:]
	if len(rest) < 2 {
		return need(hint)
	}
	if isOneOf(ts[0], "fill") {
		rest = skip(rest, "in out")
		for i := 1; i < len(rest)-1; i++ {
			if n, ok := id(rest[:i]); ok && isOneOf(rest[i], "with by") {
				return typed(n, text(said, rest[i+1:], ts)), nil
			}
		}
	}
	for i := len(rest) - 2; i >= 1; i-- {
		if isOneOf(rest[i], "into in to on at") {
			if n, ok := id(rest[i+1:]); ok {
				return typed(n, text(said, rest[:i], ts)), nil
			}
		}
	}
	if isOneOf(rest[0], "into in to") {
		for i := 2; i < len(rest); i++ {
			if n, ok := id(rest[1:i]); ok {
				return typed(n, text(said, rest[i:], ts)), nil
			}
		}
	}
	return need(hint)
}

func typed(n int, what string) step {
	return call("type_text", map[string]any{"annotationId": n, "text": what})
}

func selecting(_ grammar, said string, ts []token) (step, *trouble) {
	if !isOneOf(ts[0], "select choose pick") {
		return step{}, nil
	}
	rest := skip(ts[1:], "the option value")
	for i := len(rest) - 2; i >= 1; i-- {
		if !isOneOf(rest[i], "in from of on at for") {
			continue
		}
		if n, ok := id(rest[i+1:]); ok {
			return call("select_option", map[string]any{"annotationId": n, "values": values(said, rest[:i], ts)}), nil
		}
	}
	return need("select takes a value and a number, for example select Germany in 5.")
}

// values are several quoted texts, or one text.
func values(said string, part, ts []token) []string {
	var quoted []string
	for _, t := range part {
		switch {
		case t.quoted:
			quoted = append(quoted, t.text)
		case !isOneOf(t, "and or"):
			return []string{text(said, part, ts)}
		}
	}
	return quoted
}

func keys(_ grammar, _ string, ts []token) (step, *trouble) {
	if isOneOf(ts[0], "submit enter") && len(ts) == 1 {
		return call("press_key", map[string]any{"key": "Enter"}), nil
	}
	if !isOneOf(ts[0], "press hit") {
		return step{}, nil
	}
	rest := skip(ts[1:], "the")
	asKey := len(rest) > 1 && (isOneOf(rest[0], "key") || isOneOf(rest[len(rest)-1], "key"))
	rest = skipEnd(skip(rest, "key"), "key")
	if len(rest) == 0 {
		return need("press takes a key, for example press Enter or press Control+a.")
	}
	if n, ok := id(rest); ok && !asKey {
		return need(fmt.Sprintf("press is for keys. Say \"click %d\" for the number on the page, or \"press key %s\" for the key.", n, rest[0].word))
	}
	name := make([]string, 0, len(rest))
	for _, t := range rest {
		name = append(name, strings.TrimRight(t.text, ",;"))
	}
	key, ok := keyName(name)
	if !ok {
		return need(fmt.Sprintf("There is no key %q. Keys are Enter, Escape, Tab, ArrowDown, PageDown, F5, a letter, or Control+a.", short(strings.Join(name, " "))))
	}
	return call("press_key", map[string]any{"key": key}), nil
}

// keyName gives the key's name as browsers write it, with modifiers before a plus.
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
