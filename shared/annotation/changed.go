package annotation

import (
	"fmt"
	"slices"
	"strings"
)

// IsChanged reports whether a person would see a difference between a and b, two observations of one element. It
// ignores the element's position and the text of its row.
func IsChanged(a, b Element) bool {
	return a.Role != b.Role || a.Name != b.Name || a.Value != b.Value || a.Usable != b.Usable ||
		!slices.Equal(ownStates(a.States), ownStates(b.States))
}

// WithoutCover returns e as if nothing covered it.
func WithoutCover(e Element) Element {
	e.States = slices.DeleteFunc(slices.Clone(e.States), func(s string) bool { return strings.HasPrefix(s, coveredBy) })
	e.Usable = true
	return e
}

// WithoutFocus returns e as if it did not have the focus.
func WithoutFocus(e Element) Element {
	e.States = slices.DeleteFunc(slices.Clone(e.States), func(s string) bool { return s == "focused" })
	return e
}

// ownStates returns the states without the element's row and place, which depend on what else is in view.
func ownStates(states []string) []string {
	return slices.DeleteFunc(slices.Clone(states), func(s string) bool {
		return strings.HasPrefix(s, inRow) || strings.HasPrefix(s, "at ")
	})
}

// CoverState returns the state of a covered element. The covering element has the number id (0 for none) and the role
// and name in what.
func CoverState(id int, what string) string {
	if id != 0 {
		return fmt.Sprintf("%s[%d] %s", coveredBy, id, what)
	}
	if role, name, found := strings.Cut(what, ` "`); found && genericRole(role) {
		return coveredBy + `"` + name
	}
	return coveredBy + what
}

func genericRole(role string) bool {
	switch role {
	case "div", "span", "section", "generic", "group", "main", "region", "contentinfo", "complementary", "navigation":
		return true
	}
	return false
}
