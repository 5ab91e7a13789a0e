package identity

import (
	"fmt"
	"slices"

	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Label names an element for people: `[12] button "Save"`. A long name is truncated.
func (e Element) Label() string {
	if e.Name == "" {
		return fmt.Sprintf("[%d] %s", e.ID, e.Role)
	}
	return fmt.Sprintf("[%d] %s %q", e.ID, e.Role, surface.Truncate(e.Name, 80))
}

// List contains the numbered elements of a page at one moment, in reading order.
type List struct {
	Elements []annotation.Element
	// ByID maps each id to its index in Elements.
	ByID map[int]int
	// Above and Below count the elements before and after the viewport, in any direction, that are not in Elements.
	Above, Below int
}

// InView returns the part of a list of the whole page that is visible without scrolling.
func (l List) InView() List {
	v := List{ByID: map[int]int{}}
	for _, e := range l.Elements {
		switch {
		case e.InView:
			v.ByID[e.ID] = len(v.Elements)
			v.Elements = append(v.Elements, e)
		case e.Box.Y+e.Box.Height <= 0:
			v.Above++
		default:
			v.Below++
		}
	}
	return v
}

// Compare returns the elements of now that are new or changed, and the ids of before that are gone; elements that are
// only out of view are not. visible reports which nodes of a document are visible, nil when that is unknown; alive is
// false when the document was closed.
func (er *ElementRegistry) Compare(
	before, now List, visible func(doc int, handles []int) (shown []bool, alive bool),
) (changes []annotation.Element, gone []int) {
	for _, e := range now.Elements {
		i, was := before.ByID[e.ID]
		if !was || annotation.IsChanged(before.Elements[i], e) {
			if was {
				old, uncovered := annotation.WithoutCover(before.Elements[i]), annotation.WithoutCover(e)
				e.OnlyCoverChanged = !annotation.IsChanged(old, uncovered)
				e.OnlyFocusChanged = !annotation.IsChanged(annotation.WithoutFocus(before.Elements[i]),
					annotation.WithoutFocus(e))
				e.Incidental = !annotation.IsChanged(annotation.WithoutFocus(old), annotation.WithoutFocus(uncovered))
			}
			changes = append(changes, e)
		}
	}
	unlisted := map[int][]Element{}
	for _, e := range before.Elements {
		if _, still := now.ByID[e.ID]; still {
			continue
		}
		if known, ok := er.Element(e.ID); ok {
			unlisted[known.Doc] = append(unlisted[known.Doc], known)
		} else {
			gone = append(gone, e.ID)
		}
	}
	for doc, elements := range unlisted {
		handles := make([]int, len(elements))
		for i, e := range elements {
			handles[i] = e.Handle
		}
		shown, alive := visible(doc, handles)
		for i, e := range elements {
			if !alive || i < len(shown) && !shown[i] {
				gone = append(gone, e.ID)
			}
		}
	}
	slices.Sort(gone)
	return changes, gone
}
