package observation

import (
	"slices"
	"strings"

	"sextant/backend/browser/page"
	"sextant/shared/annotator"
)

// Summary joins the answers of several steps into one: what changed between the first and the last.
// Its zero value is ready.
type Summary struct {
	// Page is the page of the newest answer.
	Page annotator.Page

	last     annotator.Answer
	events   []annotator.Event
	elements []annotator.Element
	gone     []int
	notes    []string
	// complete is true once an answer listed all of a page and not only changes.
	complete bool
}

// Add takes the answer of the next step in.
func (s *Summary) Add(a annotator.Answer) {
	s.Page, s.last = a.Page, a
	s.events = append(s.events, a.Events...)
	s.notes = slices.DeleteFunc(s.notes, page.IsTransientNote)
	if a.Note != "" && !slices.Contains(s.notes, a.Note) {
		s.notes = append(s.notes, a.Note)
	}
	if !a.Changes {
		s.complete, s.gone = true, nil
		s.elements = slices.Clone(a.Elements)
		return
	}
	at := make(map[int]int, len(s.elements))
	for i, e := range s.elements {
		at[e.ID] = i
	}
	for _, e := range a.Elements {
		if i, known := at[e.ID]; known {
			// An element that an earlier step found new is still new to the caller.
			e.Familiar = e.Familiar && s.elements[i].Familiar
			s.elements[i] = e
			continue
		}
		s.elements = append(s.elements, e)
	}
	s.elements = slices.DeleteFunc(s.elements, func(e annotator.Element) bool { return slices.Contains(a.Gone, e.ID) })
	listed := func(id int) bool {
		return slices.ContainsFunc(a.Elements, func(e annotator.Element) bool { return e.ID == id })
	}
	s.gone = append(slices.DeleteFunc(s.gone, listed), a.Gone...)
}

// Answer returns the joined answer.
func (s *Summary) Answer() annotator.Answer {
	a := s.last
	gone := slices.Clone(s.gone)
	slices.Sort(gone)
	a.Page, a.Events, a.Elements = s.Page, s.events, s.elements
	a.Gone, a.Changes, a.Note = slices.Compact(gone), !s.complete, strings.Join(s.notes, " ")
	a.SettledMS, a.SettledBy = 0, ""
	return a
}
