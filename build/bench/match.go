package main

import (
	"slices"
	"strings"
	"unicode"
)

// alike are the roles that count as the same thing, whoever says it. What a truth calls
// "clickable" may be listed under any role that says so, or as a generic with such a mark.
var alike = map[string][]string{
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

// actionable are the roles that say by themselves that something can be done.
var actionable = func() []string {
	var all []string
	for _, roles := range alike {
		for _, r := range roles {
			if r != "img" && r != "image" && r != "canvas" && r != "group" {
				all = append(all, r)
			}
		}
	}
	return all
}()

// plain folds a name: case, white space.
func plain(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// offers reports whether a line says that something can be done with it.
func offers(l Listed) bool {
	return l.Marked || slices.Contains(actionable, strings.ToLower(l.Role))
}

// fits reports whether a line can be the thing: its role is one of those that mean the same,
// and its name is the name, or with exact false begins with it at a word's end.
func fits(l Listed, t Truth, exact bool) bool {
	role := strings.ToLower(l.Role)
	if t.Role != "" && !slices.Contains(alike[t.Role], role) {
		if !l.Marked && (t.Role != "clickable" || !offers(l)) {
			return false
		}
	}
	name := plain(l.Name)
	for _, want := range t.Names {
		want = plain(want)
		if name == want {
			return true
		}
		if exact {
			continue
		}
		if t.Loose && strings.Contains(name, want) {
			return true
		}
		if rest, ok := strings.CutPrefix(name, want); ok && want != "" && !wordGoesOn(rest) {
			return true
		}
	}
	return false
}

func wordGoesOn(rest string) bool {
	for _, r := range rest {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return false
}

// find is the line for one thing, false when it is not listed. One that the line itself
// calls unusable, or whose role says something else, is taken when there is no better: what
// has a handle and the name can be tried.
func find(lines []Listed, t Truth) (Listed, bool) {
	if l, ok := findOf(lines, t); ok || t.Role == "" {
		return l, ok
	}
	t.Role = ""
	return findOf(lines, t)
}

func findOf(lines []Listed, t Truth) (Listed, bool) {
	for _, exact := range []bool{true, false} {
		for _, usable := range []bool{true, false} {
			for _, l := range lines {
				if l.Usable == usable && fits(l, t, exact) {
					return l, true
				}
			}
		}
	}
	return Listed{}, false
}

// Score is what an answer is worth against the truth.
type Score struct {
	Of, Seen int
	Missed   []string // what a person could act on and the answer does not list
	Wrong    []string // what nobody can use and the answer lists as usable
}

// score matches every truth with a line of its own.
func score(lines []Listed, truths []Truth) Score {
	taken := make([]bool, len(lines))
	byName := map[string][]int{}
	for i, l := range lines {
		name := plain(l.Name)
		byName[name] = append(byName[name], i)
	}
	take := func(t Truth, among []int, exact bool) bool {
		for _, i := range among {
			if !taken[i] && fits(lines[i], t, exact) && (t.Role == "canvas" || offers(lines[i])) {
				taken[i] = true
				return true
			}
		}
		return false
	}
	var s Score
	var open []Truth
	for _, t := range truths {
		if t.Not != "" {
			continue
		}
		s.Of++
		if !t.Loose && take(t, byName[plain(t.Names[0])], true) {
			s.Seen++
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
			s.Seen++
		} else {
			s.Missed = append(s.Missed, t.Role+":"+strings.Join(t.Names, "|"))
		}
	}
	for _, t := range truths {
		if t.Not == "" {
			continue
		}
		for _, i := range byName[plain(t.Names[0])] {
			if l := lines[i]; l.Usable && offers(l) {
				s.Wrong = append(s.Wrong, t.Names[0]+" ("+t.Not+")")
				break
			}
		}
	}
	return s
}
