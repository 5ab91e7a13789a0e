package environment

import (
	"context"
	_ "embed"
	"fmt"

	"sextant/backend/browser"
	"sextant/shared/toolspec"
)

//go:embed drag_element.md
var dragAbout string

type dragParams struct {
	From anchor  `json:"from" required:"true" doc:"id or point"`
	To   *anchor `json:"to"`
	By   *point  `json:"by"`
}

func (t *Tools) dragElement() tool {
	return build(tool{
		name: "drag_element", about: about(dragAbout), hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"from":7,"to":9}`, `{"from":7,"by":{"x":120,"y":0}}`, `{"from":{"x":40,"y":60},"to":{"x":200,"y":60}}`},
	}, func(s session, p dragParams) toolspec.Description {
		if p.From.ID == 0 {
			return toolspec.Description{Present: "Dragging from " + p.From.called(s)}
		}
		d := present(s, "Dragging", p.From.ID)
		d.Present += p.goal(s)
		return d
	}, func(ctx context.Context, s session, p dragParams) (toolspec.Result, error) {
		if (p.To == nil) == (p.By == nil) {
			return toolspec.Result{}, &argumentError{"one of to and by is needed", `send {"from":7,"to":9} or {"from":7,"by":{"x":120,"y":0}}`}
		}
		sentence := "Dragged " + p.From.called(s) + p.goal(s)
		o := browser.DragOptions{From: p.From.where()}
		if p.To != nil {
			to := p.To.where()
			o.To = &to
		} else {
			o.By = &browser.Where{X: p.By.X, Y: p.By.Y}
		}
		a, err := s.Drag(ctx, o)
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.answered(a, "", defaultTokens, sentence), nil
	})
}

// goal is where the drag goes, for sentences.
func (p dragParams) goal(s session) string {
	switch {
	case p.To != nil:
		return " to " + p.To.called(s)
	case p.By != nil:
		return fmt.Sprintf(" by (%.0f, %.0f)", p.By.X, p.By.Y)
	}
	return ""
}
