package main

import (
	"slices"
	"strings"
	"unicode"
)

// equivalentRoles maps an expected role to the roles that are accepted for it. A "clickable" may have any actionable
// role. A line that is marked as usable is accepted with any role.
var equivalentRoles = map[string][]string{
	"button": {
		"button", "clickable", "disclosuretriangle", "togglebutton", "popupbutton", "popup", "summary",
		"menubutton", "switch", "file", "textbox",
	},
	"link":       {"link", "clickable", "area"},
	"textbox":    {"textbox", "searchbox", "combobox", "editable"},
	"spinbutton": {"spinbutton", "textbox"},
	"combobox":   {"combobox", "textbox", "listbox", "searchbox", "select"},
	"listbox":    {"listbox", "combobox"},
	"date": {
		"date", "datetime", "time", "inputtime", "month", "week", "textbox", "dateinput", "combobox",
		"spinbutton", "group",
	},
	"colour":   {"color", "colour", "colorwell", "textbox", "button"},
	"slider":   {"slider"},
	"checkbox": {"checkbox", "switch"},
	"radio":    {"radio"},
	"switch":   {"switch", "checkbox", "button"},
	"tab":      {"tab", "button"},
	"menuitem": {"menuitem", "menuitemcheckbox", "menuitemradio", "button"},
	"option":   {"option", "listboxoption", "clickable", "menuitem"},
	"treeitem": {"treeitem", "clickable", "button"},
	"canvas":   {"canvas", "img", "image", "clickable"},
	"video":    {"video", "audio", "button"},
}

var actionableRoles = func() []string {
	var all []string
	for _, roles := range equivalentRoles {
		for _, r := range roles {
			if r != "img" && r != "image" && r != "canvas" && r != "group" {
				all = append(all, r)
			}
		}
	}
	return all
}()

func normalize(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// saysUsable reports whether a line says that its element can be used, by a mark or by its role.
func saysUsable(l ListedElement) bool {
	return l.Marked || slices.Contains(actionableRoles, strings.ToLower(l.Role))
}

// matches reports whether a line can be the element: its role is accepted and its name is equal. With exact false, the
// name may also continue after the expected name with a new word or, if t.Loose is set, contain it anywhere.
func matches(l ListedElement, t Truth, exact bool) bool {
	role := strings.ToLower(l.Role)
	if t.Role != "" && !slices.Contains(equivalentRoles[t.Role], role) {
		if !l.Marked && (t.Role != "clickable" || !saysUsable(l)) {
			return false
		}
	}
	name := normalize(l.Name)
	for _, want := range t.Names {
		want = normalize(want)
		if name == want {
			return true
		}
		if exact {
			continue
		}
		if t.Loose && strings.Contains(name, want) {
			return true
		}
		if rest, ok := strings.CutPrefix(name, want); ok && want != "" && !continuesWord(rest) {
			return true
		}
	}
	return false
}

func continuesWord(rest string) bool {
	for _, r := range rest {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return false
}

// findElement returns the line for an element, false if it is not listed. A line that is marked as unusable or
// has another role is returned only if no line fits better.
func findElement(lines []ListedElement, t Truth) (ListedElement, bool) {
	if l, ok := findByRole(lines, t); ok || t.Role == "" {
		return l, ok
	}
	t.Role = ""
	return findByRole(lines, t)
}

func findByRole(lines []ListedElement, t Truth) (ListedElement, bool) {
	for _, exact := range []bool{true, false} {
		for _, usable := range []bool{true, false} {
			for _, l := range lines {
				if l.Usable == usable && matches(l, t, exact) {
					return l, true
				}
			}
		}
	}
	return ListedElement{}, false
}

// Score compares an answer with the expected elements.
type Score struct {
	Total, Found  int
	Missed        []string // usable elements that the answer does not list
	WronglyUsable []string // unusable elements that the answer lists as usable
}

// score matches each expected element with a different line.
func score(lines []ListedElement, truths []Truth) Score {
	taken := make([]bool, len(lines))
	byName := map[string][]int{}
	for i, l := range lines {
		name := normalize(l.Name)
		byName[name] = append(byName[name], i)
	}
	take := func(t Truth, among []int, exact bool) bool {
		for _, i := range among {
			if !taken[i] && matches(lines[i], t, exact) && (t.Role == "canvas" || saysUsable(lines[i])) {
				taken[i] = true
				return true
			}
		}
		return false
	}
	var s Score
	var open []Truth
	for _, t := range truths {
		if t.WhyUnusable != "" {
			continue
		}
		s.Total++
		if !t.Loose && take(t, byName[normalize(t.Names[0])], true) {
			s.Found++
			continue
		}
		open = append(open, t)
	}
	all := make([]int, len(lines))
	for i := range all {
		all[i] = i
	}
	for _, t := range open {
		if take(t, all, false) {
			s.Found++
		} else {
			s.Missed = append(s.Missed, t.Role+":"+strings.Join(t.Names, "|"))
		}
	}
	for _, t := range truths {
		if t.WhyUnusable == "" {
			continue
		}
		for _, i := range byName[normalize(t.Names[0])] {
			if l := lines[i]; l.Usable && saysUsable(l) {
				s.WronglyUsable = append(s.WronglyUsable, t.Names[0]+" ("+t.WhyUnusable+")")
				break
			}
		}
	}
	return s
}
