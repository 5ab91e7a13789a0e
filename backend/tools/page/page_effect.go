package page

import (
	"slices"
	"strings"

	"sextant/backend/tools/page/buttoneffect"
	"sextant/backend/tools/page/keys"
	"sextant/shared/toolspec"
)

// maxLinkWords bounds the words of a link that acts. A longer one is the title of a page.
const maxLinkWords = 2

// pressEffect returns what pressing the element id seems to do on the server of its page, "" for nothing that needs a
// question. Panels ask about their own calls.
func pressEffect(s session, id int) toolspec.PageEffect {
	if s.panel != nil || id == 0 {
		return ""
	}
	role, name := s.RoleAndName(id)
	switch role {
	case "button", "menuitem", "clickable", "link":
	default:
		return ""
	}
	if role == "link" && len(strings.Fields(name)) > maxLinkWords {
		return ""
	}
	if effect := buttoneffect.OfName(name); effect != "" {
		return effect
	}
	if s.OriginOf(id).Submits && !buttoneffect.IsMinor(name) {
		return toolspec.PageSend
	}
	return ""
}

// enterEffect returns what the Enter key does in the element id.
func enterEffect(s session, id int) toolspec.PageEffect {
	if effect := pressEffect(s, id); effect != "" {
		return effect
	}
	if s.panel == nil && s.OriginOf(id).Submits {
		return toolspec.PageSend
	}
	return ""
}

// withKeyEffect completes the description of a key press in the focused element.
func withKeyEffect(s session, d toolspec.Description, key string) toolspec.Description {
	effect := pressEffect
	switch {
	case keys.IsEnter(key):
		effect = enterEffect
	case !keys.IsSpace(key):
		return d
	}
	for _, e := range s.Annotations() {
		if slices.Contains(e.States, "focused") {
			return withEffect(s, d, e.ID, effect(s, e.ID))
		}
	}
	return d
}

// elementAt returns the id of the smallest listed element at a point of the viewport, 0 for none.
func elementAt(s session, x, y float64) int {
	id, smallest := 0, 0.0
	for _, e := range s.Annotations() {
		b := e.Box
		inside := e.InView && x >= b.X && y >= b.Y && x < b.X+b.Width && y < b.Y+b.Height
		if size := b.Width * b.Height; inside && (id == 0 || size < smallest) {
			id, smallest = e.ID, size
		}
	}
	return id
}

// withEffect completes the description of a call that presses the element id.
func withEffect(s session, d toolspec.Description, id int, effect toolspec.PageEffect) toolspec.Description {
	d.PageEffect = effect
	if effect == "" {
		return d
	}
	if d.Target == "" {
		d.Target, d.Annotation = lineOf(s, id), id
	}
	if len(d.Hosts) == 0 {
		d.Hosts = describeElement(s, "", id).Hosts
	}
	if d.Data != "" {
		return d // the question then quotes what is sent
	}
	d.Question = map[toolspec.PageEffect]string{
		toolspec.PageSend: "Send the form with ", toolspec.PagePost: "Send or publish with ",
		toolspec.PagePay: "Buy or pay with ", toolspec.PageDelete: "Delete with ",
	}[effect] + nameOf(s, id)
	if len(d.Hosts) > 0 {
		d.Question += " on " + d.Hosts[0]
	}
	d.Question += "?"
	return d
}
