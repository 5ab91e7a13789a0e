package page

import (
	"context"
	"fmt"
	"unicode/utf8"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

type getSelectionParams struct{}

// maxSelected is in characters.
const maxSelected = 8000

type selected struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

func (t *Tools) getSelection() tool {
	return build(tool{
		name: "get_selection", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`},
	}, func(session, getSelectionParams) toolspec.Description {
		return toolspec.Description{Sentence: "Reading the selection"}
	}, func(ctx context.Context, s session, _ getSelectionParams) (toolspec.Result, error) {
		text, err := s.Selection(ctx)
		if err != nil {
			return toolspec.Result{}, err
		}
		text = annotation.CleanLines(text)
		total := utf8.RuneCountInString(text)
		text = excerpt.TruncateRunes(text, maxSelected)
		url := s.Address()
		r := toolspec.OK(selected{Text: text, URL: url})
		r.Sentence = "Read the selection"
		if text == "" {
			r.Text = "Nothing is selected."
			return r, nil
		}
		r.Text = text
		if total > maxSelected {
			r.Text += fmt.Sprintf("\nnote: cut to %d of %d characters; get_page_content reads the page in parts",
				maxSelected, total)
		}
		r.Preview = []string{annotation.Clean(text, 100)}
		r.Sources = observation.Sources(url)
		return r, nil
	})
}
