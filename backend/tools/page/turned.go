package page

import (
	"slices"

	"sextant/shared/annotation"
)

func (r *stepRun) pressesAgain(i int) bool {
	st := r.steps[i]
	return st.tool == "click_element" && slices.ContainsFunc(r.steps[i+1:], func(later step) bool {
		return slices.ContainsFunc(later.elementIDs, func(id int) bool { return slices.Contains(st.elementIDs, id) })
	})
}

// turned returns false if the page reused e for a neighbor, as a list may do when an entry is removed.
func (r *stepRun) turned(i int, e annotation.Element) bool {
	if st := r.steps[i]; st.tool != "click_element" || !slices.Contains(st.elementIDs, e.ID) ||
		e.Role != r.namesBefore[e.ID][0] {
		return false
	}
	for _, was := range r.annotationsBefore {
		if was.ID == e.ID && flipped(was, e) {
			return true
		}
	}
	for _, was := range r.annotationsBefore {
		if was.ID == e.ID || was.Role != e.Role || was.Name != e.Name {
			continue
		}
		if role, name := r.s.RoleAndName(was.ID); role != was.Role || name != was.Name || !r.numbered(was.ID) {
			return false
		}
	}
	return true
}

func (r *stepRun) numbered(id int) bool {
	return slices.ContainsFunc(r.s.Annotations(), func(e annotation.Element) bool { return e.ID == id })
}

func flipped(was, is annotation.Element) bool {
	for _, pair := range [][2]string{{"expanded", "collapsed"}, {"checked", "unchecked"}} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if slices.Contains(was.States, p[0]) && slices.Contains(is.States, p[1]) {
				return true
			}
		}
	}
	return slices.Contains(was.States, "pressed") != slices.Contains(is.States, "pressed")
}
