package page

import (
	"context"
	"strings"

	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type selectParams struct {
	ID     int      `json:"annotationId" required:"true" min:"1"`
	Values []string `json:"values" required:"true"`
}

func (t *Tools) selectOption() tool {
	return build(tool{
		name: "select_option", hints: toolspec.Hints{OpenWorld: true},
		examples: []string{
			`{"annotationId":9,"values":["Medium"]}`, `{"annotationId":9,"values":["red","green"]}`,
			`{"annotationId":21,"values":["DE"]}`,
		},
	}, func(s session, p selectParams) toolspec.Description {
		return withData(s, describeElement(s, "Choosing in", p.ID), strings.Join(p.Values, ", "))
	}, func(ctx context.Context, s session, p selectParams) (toolspec.Result, error) {
		sentence := "Chose " + annotation.Clean(strings.Join(p.Values, ", "), 60) + " in " + nameOf(s, p.ID)
		return t.answer(sentence)(s.Select(ctx, p.ID, p.Values))
	})
}
