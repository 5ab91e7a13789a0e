package environment

import (
	"context"
	_ "embed"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed get_annotations.md
var getAnnotationsAbout string

type getAnnotationsParams struct{}

// numbered is the value of get_annotations.
type numbered struct {
	Elements []annotator.Element `json:"elements"`
	Text     string              `json:"text"`
}

func (t *Tools) getAnnotations() tool {
	return build(tool{
		name: "get_annotations", about: about(getAnnotationsAbout), hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`},
	}, func(session, getAnnotationsParams) toolspec.Description {
		return toolspec.Description{Present: "Reading the numbers"}
	}, func(ctx context.Context, s session, _ getAnnotationsParams) (toolspec.Result, error) {
		elements := s.Annotations()
		if elements == nil {
			elements = []annotator.Element{}
		}
		var b strings.Builder
		for _, e := range elements {
			b.WriteString(annotator.Line(e) + "\n")
		}
		text := strings.TrimSuffix(b.String(), "\n")
		if text == "" {
			text = "Nothing is numbered yet. Call annotate_page."
		}
		r := toolspec.OK(numbered{Elements: elements, Text: text})
		r.Text = text
		r.Sentence = "Read the numbers"
		r.Preview = []string{english.Plural(len(elements), "element", "")}
		if len(elements) > 0 {
			r.Sources = sources(currentURL(ctx, s))
		}
		return r, nil
	})
}
