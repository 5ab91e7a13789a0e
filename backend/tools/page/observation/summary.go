package observation

import (
	"slices"
	"strings"

	"sextant/backend/browser/page"
	"sextant/shared/annotation"
)

// Summary combines the observations of several steps into one that covers all their changes. The zero value is ready to
// use.
type Summary struct {
	// Page is the page of the latest observation.
	Page annotation.Page

	last     annotation.Observation
	events   []annotation.Event
	elements []annotation.Element
	gone     []int
	notes    []string
	text     []string
	moreText int
	// complete is true once an observation listed a whole page and not only changes.
	complete bool
}

// Add merges the observation of the next step into the summary.
func (s *Summary) Add(a annotation.Observation) {
	s.Page, s.last = a.Page, a
	s.events = append(s.events, a.Events...)
	s.text, s.moreText = append(s.text, a.NewText...), s.moreText+a.MoreText
	s.notes = slices.DeleteFunc(s.notes, page.IsTransientNote)
	if a.Note != "" && !slices.Contains(s.notes, a.Note) {
		s.notes = append(s.notes, a.Note)
	}
	if !a.OnlyChanges {
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
			// The combined change is only one of cover or focus if every step's change was.
			e.OnlyCoverChanged = e.OnlyCoverChanged && s.elements[i].OnlyCoverChanged
			e.OnlyFocusChanged = e.OnlyFocusChanged && s.elements[i].OnlyFocusChanged
			e.Incidental = e.Incidental && s.elements[i].Incidental
			s.elements[i] = e
			continue
		}
		s.elements = append(s.elements, e)
	}
	s.elements = slices.DeleteFunc(s.elements, func(e annotation.Element) bool { return slices.Contains(a.Gone, e.ID) })
	listed := func(id int) bool {
		return slices.ContainsFunc(a.Elements, func(e annotation.Element) bool { return e.ID == id })
	}
	s.gone = append(slices.DeleteFunc(s.gone, listed), a.Gone...)
}

// Observation returns the combined observation.
func (s *Summary) Observation() annotation.Observation {
	a := s.last
	gone := slices.Clone(s.gone)
	slices.Sort(gone)
	a.Page, a.Events, a.Elements = s.Page, s.events, s.elements
	a.Gone, a.OnlyChanges, a.Note = slices.Compact(gone), !s.complete, strings.Join(s.notes, " ")
	a.SettledMS, a.SettledBy = 0, ""
	a.SetNewText(slices.Compact(s.text), s.moreText, a.Elements)
	return a
}
