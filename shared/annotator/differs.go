package annotator

import (
	"fmt"
	"slices"
	"strings"
)

// Differs reports whether a person would tell a from b, which are one element at two looks: where it
// stands does not count, nor do the words of its row.
func Differs(a, b Element) bool {
	return a.Role != b.Role || a.Name != b.Name || a.Value != b.Value || a.Usable != b.Usable ||
		!slices.Equal(own(a.States), own(b.States))
}

// Uncovered is e as if nothing lay over it.
func Uncovered(e Element) Element {
	e.States = slices.DeleteFunc(slices.Clone(e.States), func(s string) bool { return strings.HasPrefix(s, under) })
	e.Usable = true
	return e
}

// own are the states without the words of the row an element stands in: these come and go with
// what else is in view.
func own(states []string) []string {
	return slices.DeleteFunc(slices.Clone(states), func(s string) bool { return strings.HasPrefix(s, `in "`) })
}

// CoveredBy is the state of an element that something lies over: id is the number of that, 0 for none,
// and what its role and name.
func CoveredBy(id int, what string) string {
	if id != 0 {
		return fmt.Sprintf("%s[%d] %s", under, id, what)
	}
	if role, name, found := strings.Cut(what, ` "`); found && plainBox(role) {
		return under + `"` + name
	}
	return under + what
}

// plainBox reports whether a role says nothing that matters about what lies over something: what
// it is called does.
func plainBox(role string) bool {
	switch role {
	case "div", "span", "section", "generic", "group", "main", "region", "contentinfo", "complementary", "navigation":
		return true
	}
	return false
}
