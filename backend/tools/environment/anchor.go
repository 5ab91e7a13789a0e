package environment

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sextant/backend/browser"
)

// point is a point of the page's viewport, or a distance, in CSS pixels.
type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

const pointSchema = `"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"],"additionalProperties":false`

// anchor is an element's number or a point.
type anchor struct {
	ID int
	At *point
}

const anchorSchema = `"anyOf":[{"type":"integer","minimum":1},{` + pointSchema + `}]`

// UnmarshalJSON implements json.Unmarshaler.
func (p *anchor) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		p.At = &point{}
		return json.Unmarshal(b, p.At)
	}
	return json.Unmarshal(b, &p.ID)
}

func (p anchor) where() browser.Where {
	if p.At != nil {
		return browser.Where{X: p.At.X, Y: p.At.Y}
	}
	return browser.Where{ID: p.ID}
}

// called is what a person would calls the place.
func (p anchor) called(s session) string {
	if p.At != nil {
		return fmt.Sprintf("(%.0f, %.0f)", p.At.X, p.At.Y)
	}
	return called(s, p.ID)
}
