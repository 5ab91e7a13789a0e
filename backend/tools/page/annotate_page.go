package page

import (
	"context"

	"sextant/backend/surface"
	"sextant/backend/tools/page/observation"
	"sextant/shared/toolspec"
)

type annotateParams struct {
	Scope       string `json:"scope" enum:"viewport,page" default:"\"viewport\""`
	Query       string `json:"query" doc:"words that must match"`
	ChangesOnly bool   `json:"changes_only"`
	Boxes       bool   `json:"boxes" doc:"with size and place, for click_at and drag_element"`
	MaxTokens   int    `json:"max_tokens" min:"100"`
}

func (t *Tools) annotatePage() tool {
	return build(tool{
		name: "annotate_page", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`, `{"scope":"page","query":"add to cart"}`, `{"changes_only":true}`},
	}, func(session, annotateParams) toolspec.Description {
		return toolspec.Description{Sentence: "Numbering the page"}
	}, func(ctx context.Context, s session, p annotateParams) (toolspec.Result, error) {
		a, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: p.Scope, Query: p.Query, ChangesOnly: p.ChangesOnly})
		if err != nil {
			return toolspec.Result{}, err
		}
		if p.Boxes {
			a.Elements = observation.WithBoxes(a.Elements)
		}
		budget := p.MaxTokens
		if budget <= 0 && p.Scope != "page" {
			budget = observation.DefaultMaxTokens
		}
		return t.resultOf(a, "", budget, "Numbered the page"), nil
	})
}
