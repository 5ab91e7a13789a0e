package environment

import (
	"context"
	_ "embed"

	"sextant/backend/surface"
	"sextant/shared/toolspec"
)

//go:embed scroll_page.md
var scrollAbout string

type scrollParams struct {
	Direction string  `json:"direction" enum:"up,down,left,right,top,bottom" default:"\"down\""`
	Amount    float64 `json:"amount" min:"0" doc:"pixels; default most of a screen"`
	Target    int     `json:"target" min:"0"`
}

func (t *Tools) scrollPage() tool {
	return build(tool{
		name: "scroll_page", about: about(scrollAbout), hints: toolspec.Hints{Idempotent: false, OpenWorld: true},
		examples: []string{`{"direction":"down"}`, `{"direction":"bottom"}`, `{"direction":"down","amount":300,"target":14}`},
	}, func(s session, p scrollParams) toolspec.Description {
		d := toolspec.Description{Present: "Scrolling " + toward(p.Direction)}
		if p.Target > 0 {
			d.Target, d.Annotation = target(s, p.Target), p.Target
		}
		return d
	}, func(ctx context.Context, s session, p scrollParams) (toolspec.Result, error) {
		a, err := s.Scroll(ctx, surface.ScrollOptions{Direction: p.Direction, Amount: p.Amount, Target: p.Target})
		if err != nil {
			return toolspec.Result{}, err
		}
		sentence := "Scrolled " + toward(p.Direction)
		if p.Target > 0 {
			sentence += " in " + called(s, p.Target)
		}
		return t.answered(a, "", defaultTokens, sentence), nil
	})
}

func toward(direction string) string {
	if direction == "top" || direction == "bottom" {
		return "to the " + direction
	}
	return direction
}
