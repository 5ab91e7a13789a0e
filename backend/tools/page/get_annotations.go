package page

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type getAnnotationsParams struct{}

type annotationList struct {
	Elements []annotation.Element `json:"elements"`
	Text     string               `json:"text"`
}

func (t *Tools) getAnnotations() tool {
	return build(tool{
		name: "get_annotations", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`},
	}, func(session, getAnnotationsParams) toolspec.Description {
		return toolspec.Description{Sentence: "Reading the numbers"}
	}, func(_ context.Context, s session, _ getAnnotationsParams) (toolspec.Result, error) {
		elements := s.Annotations()
		if elements == nil {
			elements = []annotation.Element{}
		}
		var b strings.Builder
		for _, e := range elements {
			b.WriteString(annotation.Line(e) + "\n")
		}
		if above, below := s.UnlistedAnnotations(); above+below > 0 {
			fmt.Fprintf(&b, "… %d more above and %d more below; annotate_page with scope=page", above, below)
		}
		text := strings.TrimSuffix(b.String(), "\n")
		if text == "" {
			text = "No element has a number yet. Call annotate_page."
		}
		r := toolspec.OK(annotationList{Elements: elements, Text: text})
		r.Text = text
		r.Sentence = "Read the numbers"
		r.Preview = []string{english.Plural(len(elements), "element", "")}
		if len(elements) > 0 {
			r.Sources = observation.Sources(s.Address())
		}
		return r, nil
	})
}
