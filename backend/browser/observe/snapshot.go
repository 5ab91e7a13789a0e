package observe

import (
	"fmt"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// InView is the part of a snapshot of the whole page that is visible without scrolling, with counts of what
// is above and below.
func (l *Snapshot) InView() *Snapshot {
	v := *l
	v.Elements, v.ByID, v.Above, v.Below = nil, map[int]int{}, 0, 0
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
	return &v
}

// PlacedDocument is a document that was observed, and where it lies in the top page's viewport.
type PlacedDocument struct {
	Document  *cdp.Document
	Origin    string
	Placement cdp.Placement
}

// Label names an element for people: `[12] button "Save"`.
func Label(th identity.Element) string {
	if th.Name == "" {
		return fmt.Sprintf("[%d] %s", th.ID, th.Role)
	}
	return fmt.Sprintf("[%d] %s %q", th.ID, th.Role, surface.Clip(th.Name, 80))
}

// Snapshot is the numbered elements of a tab at one moment. It is never changed after it was made.
type Snapshot struct {
	Page          annotation.Page
	Elements      []annotation.Element
	ByID          map[int]int
	Above, Below  int
	Width, Height float64
	SettledMS     int
	// MainDocument is the number of the main document.
	MainDocument int
	rebound      []int
	// Documents are the documents that were observed.
	Documents []PlacedDocument
	// SilentFrames are frames that did not answer.
	SilentFrames []string
}

// Marks returns the snapshot as the window draws it over the picture.
func (l *Snapshot) Marks() *event.Marks {
	elements := l.Elements
	if elements == nil {
		elements = []annotation.Element{} // a list on the wire is never null
	}
	return &event.Marks{
		Page: l.Page, Elements: elements, Above: l.Above, Below: l.Below,
		Width: l.Width, Height: l.Height, SettledMS: l.SettledMS, On: true,
	}
}

// IDs are the numbers of what was found.
func (l *Snapshot) IDs() []int {
	ids := make([]int, len(l.Elements))
	for i, e := range l.Elements {
		ids[i] = e.ID
	}
	return ids
}

// shows reports whether a part of b lies in the viewport.
func (l *Snapshot) shows(b annotation.Box) bool {
	return b.X < l.Width && b.Y < l.Height && b.X+b.Width > 0 && b.Y+b.Height > 0
}
