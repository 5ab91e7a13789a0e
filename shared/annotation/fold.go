package annotation

import "slices"

// minFolded is the minimum number of elements that fold lists by their numbers alone.
const minFolded = 3

// fold returns the elements to list in full, and lines with the numbers of others: groups of at least minFolded
// elements of which only the cover has changed, in the same way. Unimportant changes of focus are not listed at all.
func fold(a *Observation) (lines string, listed []Element) {
	if !a.OnlyChanges {
		return "", a.Elements
	}
	listed = slices.DeleteFunc(slices.Clone(a.Elements), func(e Element) bool {
		return e.OnlyFocusChanged && (!slices.Contains(e.States, "focused") || e.ID == a.ActedOn)
	})
	by := map[string][]int{}
	var order []string
	for i := range a.Elements {
		if !a.Elements[i].OnlyCoverChanged {
			continue
		}
		over := cover(&a.Elements[i])
		if by[over] == nil {
			order = append(order, over)
		}
		by[over] = append(by[over], a.Elements[i].ID)
	}
	var b []byte
	for _, over := range order {
		if len(by[over]) < minFolded {
			delete(by, over)
			continue
		}
		ids := by[over]
		slices.Sort(ids)
		words := "no longer covered"
		if over != "" {
			words = Clean(over, maxName)
		}
		b = append(append(b, words...), ':')
		b = append(appendIDs(b, ids, sizes()[0].gone), '\n')
	}
	listed = slices.DeleteFunc(listed, func(e Element) bool {
		_, in := by[cover(&e)]
		return e.OnlyCoverChanged && in
	})
	return string(b), listed
}

func unfold(whole, listed, kept []Element) []Element {
	if len(kept) == len(listed) {
		return whole
	}
	left := map[int]bool{}
	for i := range listed {
		left[listed[i].ID] = true
	}
	for i := range kept {
		delete(left, kept[i].ID)
	}
	return slices.DeleteFunc(slices.Clone(whole), func(e Element) bool { return left[e.ID] })
}
