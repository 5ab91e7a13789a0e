package page

import (
	"context"

	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type selectTextParams struct {
	ID    int    `json:"annotationId" min:"0"`
	Text  string `json:"text"`
	Start int    `json:"start" min:"0"`
	End   int    `json:"end" min:"0" doc:"default: to the end"`
}

func (t *Tools) selectText() tool {
	return build(tool{
		name: "select_text", hints: toolspec.Hints{Idempotent: true, OpenWorld: true},
		examples: []string{`{"text":"Total: 80 €"}`, `{"annotationId":7}`, `{"annotationId":7,"start":0,"end":5}`},
	}, func(s session, p selectTextParams) toolspec.Description {
		if p.ID > 0 {
			return describeElement(s, "Selecting text in", p.ID)
		}
		return toolspec.Description{Sentence: "Selecting “" + annotation.Clean(p.Text, 60) + "”"}
	}, func(ctx context.Context, s session, p selectTextParams) (toolspec.Result, error) {
		switch {
		case p.ID == 0 && p.Text == "":
			return toolspec.Result{}, &argumentError{
				"annotationId or text is missing",
				`send {"text":"words on the page"} or {"annotationId":7}`,
			}
		case p.End != 0 && p.End <= p.Start:
			return toolspec.Result{}, &argumentError{
				"end is not after start",
				`send e.g. {"annotationId":7,"start":0,"end":5}`,
			}
		}
		a, err := s.SelectText(ctx, p.ID, p.Text, p.Start, p.End)
		if err != nil {
			return toolspec.Result{}, err
		}
		sentence := "Selected “" + annotation.Clean(p.Text, 60) + "”"
		if p.ID > 0 {
			sentence = "Selected text in " + nameOf(s, p.ID)
		}
		return t.result(a, sentence), nil
	})
}
