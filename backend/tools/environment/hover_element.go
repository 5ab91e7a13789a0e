package environment

import (
	"context"
	_ "embed"

	"sextant/shared/toolspec"
)

//go:embed hover_element.md
var hoverAbout string

type hoverParams struct {
	ID int `json:"annotationId" required:"true" min:"1"`
}

func (t *Tools) hoverElement() tool {
	return build(tool{
		name: "hover_element", about: about(hoverAbout), hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"annotationId":5}`, `{"annotationId":12}`, `{"annotationId":30}`},
	}, func(s session, p hoverParams) toolspec.Description {
		return present(s, "Pointing at", p.ID)
	}, func(ctx context.Context, s session, p hoverParams) (toolspec.Result, error) {
		sentence := "Pointed at " + called(s, p.ID)
		a, err := s.Hover(ctx, p.ID)
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.answered(a, "", defaultTokens, sentence), nil
	})
}
