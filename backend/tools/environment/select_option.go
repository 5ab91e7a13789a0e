package environment

import (
	"context"
	_ "embed"
	"strings"

	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed select_option.md
var selectAbout string

type selectParams struct {
	ID     int      `json:"annotationId" required:"true" min:"1"`
	Values []string `json:"values" required:"true"`
}

func (t *Tools) selectOption() tool {
	return build(tool{
		name: "select_option", about: about(selectAbout), hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"annotationId":9,"values":["Medium"]}`, `{"annotationId":9,"values":["red","green"]}`, `{"annotationId":21,"values":["DE"]}`},
	}, func(s session, p selectParams) toolspec.Description {
		return giving(s, present(s, "Choosing in", p.ID), strings.Join(p.Values, ", "))
	}, func(ctx context.Context, s session, p selectParams) (toolspec.Result, error) {
		sentence := "Chose " + annotator.Clean(strings.Join(p.Values, ", "), 60) + " in " + called(s, p.ID)
		a, err := s.Select(ctx, p.ID, p.Values)
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.answered(a, "", defaultTokens, sentence), nil
	})
}
