package page

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sextant/backend/browser"
	"sextant/backend/toolkit"
)

// point is a position in the viewport, or a distance, in CSS pixels.
type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

type pointOrID struct {
	ID    int
	Point *point
}

var (
	_ toolkit.SchemaMember = point{}
	_ toolkit.SchemaMember = (*pointOrID)(nil)
)

const pointSchema = `"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},` +
	`"required":["x","y"],"additionalProperties":false`

func (point) SchemaMembers() string { return pointSchema }

func (*pointOrID) SchemaMembers() string {
	return `"anyOf":[{"type":"integer","minimum":1},{` + pointSchema + `}]`
}

func (p *pointOrID) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		p.Point = &point{}
		return json.Unmarshal(b, p.Point)
	}
	return json.Unmarshal(b, &p.ID)
}

func (p pointOrID) where() browser.Point {
	if p.Point != nil {
		return browser.Point{X: p.Point.X, Y: p.Point.Y}
	}
	return browser.Point{ID: p.ID}
}

func (p pointOrID) name(s session) string {
	if p.Point != nil {
		return fmt.Sprintf("(%.0f, %.0f)", p.Point.X, p.Point.Y)
	}
	return nameOf(s, p.ID)
}
