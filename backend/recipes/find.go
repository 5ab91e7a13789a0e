package recipes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/recipes/alike"
	"sextant/shared/annotation"
)

// NotFoundError says why no element of a page is certainly the one of a recipe.
type NotFoundError struct {
	Target annotation.Reference
	// Alike are the elements that fit equally well. Near are those that are similar, but do not fit.
	Alike, Near []annotation.Element
}

// Error implements error.
func (e *NotFoundError) Error() string {
	if len(e.Alike) > 0 {
		return fmt.Sprintf("%d elements fit %s: %s", len(e.Alike), e.Target, lines(e.Alike))
	}
	text := e.Target.String() + " is not on the page"
	if len(e.Near) > 0 {
		text += "; similar is " + lines(e.Near)
	}
	return text
}

func lines(elements []annotation.Element) string {
	const most = 3
	var all []string
	for _, e := range elements[:min(len(elements), most)] {
		all = append(all, annotation.Line(e))
	}
	if more := len(elements) - most; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return english.OxfordWordSeries(all, "and")
}

// A rung compares an element with the one that was recorded. Rungs are tried from the strictest to the loosest.
type rung func(want, is annotation.Reference) bool

var rungs = []rung{
	func(want, is annotation.Reference) bool {
		return want.Role == is.Role && strings.EqualFold(want.Name, is.Name)
	},
	func(want, is annotation.Reference) bool {
		return want.Role == is.Role && alike.Name(want.Name) == alike.Name(is.Name)
	},
	func(want, is annotation.Reference) bool {
		return alike.Roles(want.Role, is.Role) && alike.Name(want.Name) == alike.Name(is.Name)
	},
}

// Find returns the element that want describes. It must be the only one at the strictest rung at which any element
// fits; at the looser rungs, and in a group of another name, no other element may even be similar. It is in the row,
// frame and group that want names. A group of another name counts if the page no longer has the old name, and if the
// row or more than half of the elements that were near are in it. The error is a *NotFoundError.
func Find(want annotation.Reference, elements []annotation.Element) (annotation.Element, error) {
	if want.Role == annotation.UnknownRole {
		return annotation.Element{}, &NotFoundError{Target: want}
	}
	refs := make([]annotation.Reference, len(elements))
	for i, e := range elements {
		refs[i] = e.Reference()
	}
	for loose, fits := range rungs {
		var found []annotation.Element
		for i, is := range refs {
			if fits(want, is) && want.Frame == is.Frame && sameRow(want, is) && sameGroup(want, is, refs) {
				found = append(found, elements[i])
			}
		}
		switch {
		case len(found) > 1:
			return annotation.Element{}, &NotFoundError{Target: want, Alike: found}
		case len(found) == 0:
			continue
		}
		moved := want.Group != "" && alike.Name(want.Group) != alike.Name(found[0].Group) && want.Row == ""
		if others := similar(want, elements, found[0].ID); (loose > 0 || moved) && len(others) > 0 {
			return annotation.Element{}, &NotFoundError{Target: want, Alike: append(found, others...)}
		}
		return found[0], nil
	}
	return annotation.Element{}, &NotFoundError{Target: want, Near: similar(want, elements, 0)}
}

func sameGroup(want, is annotation.Reference, page []annotation.Reference) bool {
	if want.Group == "" || alike.Name(want.Group) == alike.Name(is.Group) {
		return true
	}
	if slices.ContainsFunc(page, func(other annotation.Reference) bool {
		return alike.Name(other.Group) == alike.Name(want.Group)
	}) {
		return false
	}
	if want.Row != "" {
		return true
	}
	near := 0
	for _, name := range want.Near {
		if slices.ContainsFunc(page, func(other annotation.Reference) bool {
			return other.Group == is.Group && other.Frame == is.Frame && alike.Name(other.Name) == alike.Name(name)
		}) {
			near++
		}
	}
	return !want.Twins && 2*near > len(want.Near)
}

// similar returns the elements, other than the one with the id, that could be mistaken for want.
func similar(want annotation.Reference, elements []annotation.Element, id int) []annotation.Element {
	name := alike.Name(want.Name)
	var found []annotation.Element
	for _, e := range elements {
		other := alike.Name(e.Name)
		near := name == other || (name != "" && other != "" && (strings.Contains(name, other) ||
			strings.Contains(other, name)))
		if e.ID != id && near && alike.Roles(want.Role, e.Role) {
			found = append(found, e)
		}
	}
	return found
}

// sameRow compares the rows of two elements. An element that was alone fits also when it is now one of several; those
// are then alike.
func sameRow(want, is annotation.Reference) bool {
	row := is.Row
	if strings.Contains(want.Row, "#") {
		row = annotation.WithoutNumbers(row)
	}
	return want.Row == "" || alike.Words(want.Row) == alike.Words(row)
}
