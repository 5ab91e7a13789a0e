package page

import (
	"context"

	"sextant/backend/surface"
	"sextant/shared/toolspec"
)

type scrollParams struct {
	Direction string  `json:"direction" enum:"up,down,left,right,top,bottom" default:"\"down\""`
	Amount    float64 `json:"amount" min:"0" doc:"pixels; default most of a screen"`
	Target    int     `json:"target" min:"0"`
}

func (t *Tools) scrollPage() tool {
	return build(tool{
		name: "scroll_page", hints: toolspec.Hints{Idempotent: false, OpenWorld: true},
		examples: []string{
			`{"direction":"down"}`, `{"direction":"bottom"}`,
			`{"direction":"down","amount":300,"target":14}`,
		},
	}, func(s session, p scrollParams) toolspec.Description {
		d := toolspec.Description{Sentence: "Scrolling " + directionPhrase(p.Direction)}
		if p.Target > 0 {
			d.Target, d.Annotation = lineOf(s, p.Target), p.Target
		}
		return d
	}, func(ctx context.Context, s session, p scrollParams) (toolspec.Result, error) {
		a, err := s.Scroll(ctx, surface.ScrollOptions{Direction: p.Direction, Amount: p.Amount, Target: p.Target})
		if err != nil {
			return toolspec.Result{}, err
		}
		sentence := "Scrolled " + directionPhrase(p.Direction)
		if p.Target > 0 {
			sentence += " in " + nameOf(s, p.Target)
		}
		return t.result(a, sentence), nil
	})
}

func directionPhrase(direction string) string {
	if direction == "top" || direction == "bottom" {
		return "to the " + direction
	}
	return direction
}
