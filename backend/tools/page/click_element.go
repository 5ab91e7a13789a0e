package page

import (
	"context"

	"sextant/backend/surface"
	"sextant/shared/toolspec"
)

type clickParams struct {
	ID        int      `json:"annotationId" required:"true" min:"1"`
	Button    string   `json:"button" enum:"left,right,middle"`
	Count     int      `json:"count" min:"1" max:"3"`
	Modifiers []string `json:"modifiers" enum:"Alt,Control,Meta,Shift"`
}

func (t *Tools) clickElement() tool {
	return build(tool{
		name: "click_element", hints: toolspec.Hints{OpenWorld: true},
		examples: []string{
			`{"annotationId":12}`, `{"annotationId":12,"count":2}`,
			`{"annotationId":12,"button":"right"}`,
		},
	}, func(s session, p clickParams) toolspec.Description {
		d := describeElement(s, clickVerb(p, "Clicking", "Double-clicking", "Right-clicking"), p.ID)
		if p.Button == "right" {
			return d
		}
		return withEffect(s, d, p.ID, pressEffect(s, p.ID))
	}, func(ctx context.Context, s session, p clickParams) (toolspec.Result, error) {
		// The name is read before the click, which may remove the element.
		sentence := clickVerb(p, "Clicked", "Double-clicked", "Right-clicked") + " " + nameOf(s, p.ID)
		return t.answer(sentence)(s.Click(ctx,
			surface.ClickOptions{ID: p.ID, Button: p.Button, Count: p.Count, Modifiers: p.Modifiers}))
	})
}

func clickVerb(p clickParams, once, twice, right string) string {
	switch {
	case p.Button == "right":
		return right
	case p.Count == 2:
		return twice
	}
	return once
}
