package input

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/input"
)

// The bits of a set of modifier keys, as in the DevTools protocol.
const (
	ModAlt     = 1
	ModControl = 2
	ModMeta    = 4
	ModShift   = 8
)

type keyStroke struct {
	info      input.KeyInfo
	text      string
	modifiers int
	held      []input.KeyInfo
}

func named(name string) (input.Key, bool) {
	switch strings.ToLower(name) {
	case "enter", "return":
		return input.Enter, true
	case "tab":
		return input.Tab, true
	case "escape", "esc":
		return input.Escape, true
	case "backspace":
		return input.Backspace, true
	case "delete", "del":
		return input.Delete, true
	case "insert":
		return input.Insert, true
	case "space", " ":
		return input.Space, true
	case "home":
		return input.Home, true
	case "end":
		return input.End, true
	case "pageup":
		return input.PageUp, true
	case "pagedown":
		return input.PageDown, true
	case "contextmenu":
		return input.ContextMenu, true
	}
	return arrowOrFunction(strings.ToLower(name))
}

func arrowOrFunction(name string) (input.Key, bool) {
	switch strings.TrimPrefix(name, "arrow") {
	case "left":
		return input.ArrowLeft, true
	case "right":
		return input.ArrowRight, true
	case "up":
		return input.ArrowUp, true
	case "down":
		return input.ArrowDown, true
	}
	functions := []input.Key{
		input.F1, input.F2, input.F3, input.F4, input.F5, input.F6,
		input.F7, input.F8, input.F9, input.F10, input.F11, input.F12,
	}
	for i, k := range functions {
		if name == fmt.Sprintf("f%d", i+1) {
			return k, true
		}
	}
	return 0, false
}

func modifier(name string) (input.Key, int, bool) {
	switch strings.ToLower(name) {
	case "control", "ctrl":
		return input.ControlLeft, ModControl, true
	case "alt", "option":
		return input.AltLeft, ModAlt, true
	case "shift":
		return input.ShiftLeft, ModShift, true
	case "meta", "cmd", "command", "super":
		return input.MetaLeft, ModMeta, true
	}
	return 0, 0, false
}

// ParseModifiers returns the bit set of the named modifiers. The error names an unknown one.
func ParseModifiers(names []string) (int, error) {
	bits := 0
	for _, n := range names {
		_, bit, ok := modifier(n)
		if !ok {
			return 0, fmt.Errorf("unknown modifier %q; there are Alt, Control, Meta, Shift", n)
		}
		bits |= bit
	}
	return bits, nil
}

// parse parses a key such as "Enter", "a", "Control+Shift+ArrowLeft" or "Control++".
func parse(combo string) (keyStroke, error) {
	var s keyStroke
	rest := combo
	for {
		cut := strings.IndexByte(rest, '+')
		if cut <= 0 || cut == len(rest)-1 {
			break
		}
		key, bit, ok := modifier(rest[:cut])
		if !ok {
			return s, fmt.Errorf("unknown modifier %q in %q; there are Alt, Control, Meta, Shift", rest[:cut], combo)
		}
		s.modifiers |= bit
		s.held = append(s.held, key.Info())
		rest = rest[cut+1:]
	}
	if key, bit, ok := modifier(rest); ok {
		s.info, s.modifiers = key.Info(), s.modifiers|bit
		return s, nil
	}
	if key, ok := named(rest); ok {
		s.info = key.Info()
		s.text = plain(s.info)
		return s.finish(), nil
	}
	if utf8.RuneCountInString(rest) != 1 {
		return s, fmt.Errorf("unknown key %q; send a name such as Enter, Tab, Escape, ArrowDown or Control+a", combo)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	info, known := character(r)
	if !known {
		info = input.KeyInfo{Key: rest}
	}
	s.info, s.text = info, rest
	return s.finish(), nil
}

func plain(info input.KeyInfo) string {
	switch info.Key {
	case "\r", " ":
		return info.Key
	}
	return ""
}

func (s keyStroke) finish() keyStroke {
	switch s.info.Key {
	case "\r":
		s.info.Key = "Enter"
	case "\t":
		s.info.Key = "Tab"
	}
	if s.modifiers&ModShift != 0 && len(s.text) == 1 && s.text != "\r" {
		if up, ok := input.Key(s.text[0]).Shift(); ok {
			s.text, s.info.Key = string(rune(up)), string(rune(up))
		}
	}
	if s.modifiers&^ModShift != 0 {
		s.text = ""
	}
	return s
}

// character returns the key that types r on a US keyboard, false when there is none.
func character(r rune) (info input.KeyInfo, ok bool) {
	if r < ' ' || r > '~' {
		return input.KeyInfo{}, false
	}
	// rod's keymap has every printable ASCII character and panics for others.
	return input.Key(r).Info(), true
}
