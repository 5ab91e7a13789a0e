package page

import (
	"context"
	"fmt"

	"sextant/backend/browser"
	"sextant/shared/toolspec"
)

type clickAtParams struct {
	X         float64  `json:"x" required:"true"`
	Y         float64  `json:"y" required:"true"`
	Button    string   `json:"button" enum:"left,right,middle"`
	Count     int      `json:"count" min:"1" max:"3"`
	Modifiers []string `json:"modifiers" enum:"Alt,Control,Meta,Shift"`
}

func (t *Tools) clickAt() tool {
	return build(tool{
		name: "click_at", hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"x":240,"y":310}`, `{"x":240,"y":310,"count":2}`, `{"x":96,"y":420,"button":"right"}`},
	}, func(s session, p clickAtParams) toolspec.Description {
		d := toolspec.Description{Sentence: fmt.Sprintf("Clicking at (%.0f, %.0f)", p.X, p.Y)}
		if p.Button == "right" {
			return d
		}
		id := elementAt(s, p.X, p.Y)
		return withEffect(s, d, id, pressEffect(s, id))
	}, func(ctx context.Context, s session, p clickAtParams) (toolspec.Result, error) {
		return t.answer(fmt.Sprintf("Clicked at (%.0f, %.0f)", p.X, p.Y))(s.ClickAt(ctx,
			browser.ClickAtOptions{X: p.X, Y: p.Y, Button: p.Button, Count: p.Count, Modifiers: p.Modifiers}))
	})
}
