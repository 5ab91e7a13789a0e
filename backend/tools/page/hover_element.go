package page

import (
	"context"

	"sextant/shared/toolspec"
)

type hoverParams struct {
	ID int `json:"annotationId" required:"true" min:"1"`
}

func (t *Tools) hoverElement() tool {
	return build(tool{
		name: "hover_element", hints: toolspec.Hints{OpenWorld: true},
		examples: []string{`{"annotationId":5}`, `{"annotationId":12}`, `{"annotationId":30}`},
	}, func(s session, p hoverParams) toolspec.Description {
		return describeElement(s, "Pointing at", p.ID)
	}, func(ctx context.Context, s session, p hoverParams) (toolspec.Result, error) {
		sentence := "Pointed at " + nameOf(s, p.ID)
		return t.answer(sentence)(s.Hover(ctx, p.ID))
	})
}
