package recipebench

import (
	"math/rand/v2"
	"slices"
)

// mutations change a page and return whether its target can still be told apart from everything else.
var mutations = []struct {
	kind string
	wrap bool
	do   func(r *rand.Rand, m *model, target place)
}{
	{"classes and ids", false, func(*rand.Rand, *model, place) {}},
	{"wrappers", true, func(*rand.Rand, *model, place) {}},
	{"order", false, reorder},
	{"texts", false, retext},
	{"twins added", false, addTwin},
	{"controls removed", false, remove},
	{"all at once", true, func(r *rand.Rand, m *model, target place) {
		reorder(r, m, target)
		retext(r, m, target)
		addTwin(r, m, target)
		remove(r, m, target)
	}},
}

func reorder(r *rand.Rand, m *model, _ place) {
	m.sections = shuffled(r, m.sections)
	for _, s := range m.sections {
		s.controls = shuffled(r, s.controls)
		s.rows = shuffled(r, s.rows)
		names := r.Perm(8)
		for _, w := range s.rows {
			slices.SortStableFunc(w.controls, func(a, b *control) int {
				return names[len(a.name)%8] - names[len(b.name)%8]
			})
		}
	}
}

// retext changes a fifth of the texts: headings, labels of rows and names, that of the target as well.
func retext(r *rand.Rand, m *model, _ place) {
	change := func(text *string) {
		if r.IntN(5) == 0 {
			*text = pick(r, words) + " " + pick(r, words) + " " + pick(r, nouns)
		}
	}
	for _, s := range m.sections {
		change(&s.heading)
		for _, c := range s.controls {
			change(&c.name)
		}
		for _, w := range s.rows {
			change(&w.label)
		}
	}
}

// addTwin adds a control of the target's role and name: beside it, or in another section.
func addTwin(r *rand.Rand, m *model, target place) {
	twin := &control{10_000 + r.IntN(1000), target.control.role, target.control.name}
	s := target.section
	if r.IntN(2) == 0 {
		s = pick(r, m.sections)
	}
	switch {
	case s.form == "plain":
		s.controls = slices.Insert(s.controls, r.IntN(len(s.controls)+1), twin)
	case len(s.rows) == 0:
	case s == target.section && target.row != nil && r.IntN(2) == 0:
		target.row.controls = append(target.row.controls, twin)
	default:
		w := pick(r, s.rows)
		w.controls = append(w.controls, twin)
	}
}

// remove removes controls and rows, half of the time the target.
func remove(r *rand.Rand, m *model, target place) {
	gone := func(c *control) bool {
		if c == target.control {
			return false
		}
		return r.IntN(4) == 0
	}
	for _, s := range m.sections {
		s.controls = slices.DeleteFunc(s.controls, gone)
		for _, w := range s.rows {
			w.controls = slices.DeleteFunc(w.controls, gone)
		}
	}
	if r.IntN(2) == 0 {
		is := func(c *control) bool { return c == target.control }
		target.section.controls = slices.DeleteFunc(target.section.controls, is)
		if target.row != nil {
			target.row.controls = slices.DeleteFunc(target.row.controls, is)
		}
	}
}

// memory is what was true of the target when it was recorded.
type memory struct {
	id             int
	role, name     string
	heading, label string
	// others are the names of the other controls of the section.
	others []string
}

func remember(p place) memory {
	mem := memory{id: p.control.id, role: p.control.role, name: p.control.name, heading: p.section.heading}
	if p.row != nil {
		mem.label = p.row.label
	}
	mem.others = others(p)
	return mem
}

func others(p place) []string {
	var names []string
	for _, other := range (&model{[]*section{p.section}}).places() {
		if other.control.name != p.control.name {
			names = append(names, other.control.name)
		}
	}
	return names
}

// expected returns the control that a careful person with mem would press, false if such a person could not be certain:
// it has the role, the name and the label of the row, and is alone with them below the heading, or anywhere if that
// heading is gone. Without a row, at least half of the controls below the new heading must be the old ones. A control
// that stands exactly where the target stood counts as the target.
func expected(m *model, mem memory) (id int, ok bool) {
	gone := !slices.ContainsFunc(m.sections, func(s *section) bool { return s.heading == mem.heading })
	var fits, below, labelled []place
	for _, p := range m.places() {
		label := ""
		if p.row != nil {
			label = p.row.label
		}
		if p.control.role != mem.role || p.control.name != mem.name {
			continue
		}
		fits = append(fits, p)
		if label == mem.label && label != "" && gone {
			labelled = append(labelled, p)
		}
		if label == mem.label && p.section.heading == mem.heading {
			below = append(below, p)
		}
	}
	if len(below) == 1 {
		return below[0].control.id, true
	}
	if len(labelled) == 1 {
		return labelled[0].control.id, true
	}
	if len(below) > 1 || len(fits) != 1 {
		return 0, false
	}
	if p := fits[0]; (p.row == nil) != (mem.label == "") || p.row != nil && p.row.label != mem.label {
		return 0, false
	}
	now := others(fits[0])
	left := 0
	for _, name := range mem.others {
		if slices.Contains(now, name) {
			left++
		}
	}
	return fits[0].control.id, len(mem.others) > 0 && 2*left >= len(mem.others)
}
