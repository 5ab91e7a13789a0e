package observe

import (
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/identity"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// InView returns the part of a snapshot of the whole page that is visible without scrolling.
func (s *Snapshot) InView() *Snapshot {
	v := *s
	v.List = s.List.InView()
	return &v
}

// PlacedDocument is a document of a snapshot with its position in the top page's viewport.
type PlacedDocument struct {
	Document  *cdp.Document
	Origin    string
	Placement cdp.Placement
}

// Snapshot contains the numbered elements of a tab at one moment. It does not change once an answer uses it.
type Snapshot struct {
	identity.List
	Page          annotation.Page
	Width, Height float64
	SettledMS     int
	// MainDocument is the number of the main document.
	MainDocument int
	rebound      []int
	Documents    []PlacedDocument
	// UnresponsiveFrames are the addresses of the frames that did not answer.
	UnresponsiveFrames []string
}

// Marks returns the marks that the window draws over the picture.
func (s *Snapshot) Marks() *event.Marks {
	elements := s.Elements
	if elements == nil {
		elements = []annotation.Element{} // a list on the wire is never null
	}
	return &event.Marks{
		Page: s.Page, Elements: elements, Above: s.Above, Below: s.Below,
		Width: s.Width, Height: s.Height, SettledMS: s.SettledMS, On: true,
	}
}

// IDs returns the ids of all elements.
func (s *Snapshot) IDs() []int {
	ids := make([]int, len(s.Elements))
	for i, e := range s.Elements {
		ids[i] = e.ID
	}
	return ids
}

func (s *Snapshot) shows(b annotation.Box) bool {
	return b.X < s.Width && b.Y < s.Height && b.X+b.Width > 0 && b.Y+b.Height > 0
}
