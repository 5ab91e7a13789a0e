package page

import (
	"context"
	"fmt"

	"sextant/backend/browser"
	"sextant/shared/toolspec"
)

type dragParams struct {
	From pointOrID  `json:"from" required:"true" doc:"id or point"`
	To   *pointOrID `json:"to"`
	By   *point     `json:"by"`
}

func (t *Tools) dragElement() tool {
	return build(tool{
		name: "drag_element", hints: toolspec.Hints{OpenWorld: true},
		examples: []string{
			`{"from":7,"to":9}`, `{"from":7,"by":{"x":120,"y":0}}`,
			`{"from":{"x":40,"y":60},"to":{"x":200,"y":60}}`,
		},
	}, func(s session, p dragParams) toolspec.Description {
		if p.From.ID == 0 {
			return toolspec.Description{Sentence: "Dragging from " + p.From.name(s)}
		}
		d := describeElement(s, "Dragging", p.From.ID)
		d.Sentence += p.destination(s)
		return d
	}, func(ctx context.Context, s session, p dragParams) (toolspec.Result, error) {
		if (p.To == nil) == (p.By == nil) {
			return toolspec.Result{}, &argumentError{
				"send one of to and by",
				`send {"from":7,"to":9} or {"from":7,"by":{"x":120,"y":0}}`,
			}
		}
		sentence := "Dragged " + p.From.name(s) + p.destination(s)
		o := browser.DragOptions{From: p.From.where()}
		if p.To != nil {
			to := p.To.where()
			o.To = &to
		} else {
			o.By = &browser.Point{X: p.By.X, Y: p.By.Y}
		}
		return t.answer(sentence)(s.Drag(ctx, o))
	})
}

func (p dragParams) destination(s session) string {
	switch {
	case p.To != nil:
		return " to " + p.To.name(s)
	case p.By != nil:
		return fmt.Sprintf(" by (%.0f, %.0f)", p.By.X, p.By.Y)
	}
	return ""
}
