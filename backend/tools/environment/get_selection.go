package environment

import (
	"context"
	_ "embed"
	"fmt"
	"unicode/utf8"

	"sextant/backend/browser"
	"sextant/shared/annotator"
	"sextant/shared/clip"
	"sextant/shared/toolspec"
)

//go:embed get_selection.md
var getSelectionAbout string

type getSelectionParams struct{}

// maxSelected bounds what is told of a selection, in characters.
const maxSelected = 8000

// selected is the value of get_selection.
type selected struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

func (t *Tools) getSelection() tool {
	return build(tool{
		name: "get_selection", about: about(getSelectionAbout), hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`},
	}, func(session, getSelectionParams) toolspec.Description {
		return toolspec.Description{Present: "Reading the selection"}
	}, func(ctx context.Context, s session, _ getSelectionParams) (toolspec.Result, error) {
		text, err := s.Selection(ctx)
		if err != nil {
			return toolspec.Result{}, err
		}
		text = annotator.CleanLines(text)
		total := utf8.RuneCountInString(text)
		text = clip.Runes(text, maxSelected)
		url := currentURL(ctx, s)
		r := toolspec.OK(selected{Text: text, URL: url})
		r.Sentence = "Read the selection"
		if text == "" {
			r.Text = "Nothing is selected."
			return r, nil
		}
		r.Text = text
		if total > maxSelected {
			r.Text += fmt.Sprintf("\nnote: cut to %d of %d characters; get_page_content reads in parts", maxSelected, total)
		}
		r.Preview = []string{annotator.Clean(text, 100)}
		r.Sources = sources(url)
		return r, nil
	})
}

// currentURL is the address of the session's current tab, "" when there is none.
func currentURL(ctx context.Context, s session) string {
	if s.panel != nil {
		return s.Address()
	}
	a, tabs, err := s.Tabs(ctx, browser.TabOptions{Action: "list"})
	if err != nil {
		return ""
	}
	for _, tab := range tabs {
		if tab.ID == a.Page.Tab {
			return tab.URL
		}
	}
	return a.Page.URL
}
