package lists

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/browser"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// PageToolsValue is the value of the Result of PageTools.
type PageToolsValue struct {
	Tools []browser.PageTool `json:"tools"`
}

// PageTools lists the tools that a page offers. All of their text counts as text of the page.
func PageTools(list []browser.PageTool, from []string) toolspec.Result {
	list = slices.Clone(list)
	if list == nil {
		list = []browser.PageTool{}
	}
	r := toolspec.OK(PageToolsValue{Tools: list})
	r.Sentence = "Found " + english.Plural(len(list), "tool", "") + " of the page"
	r.Sources = slices.Clone(from)
	if len(list) == 0 {
		r.Text = "This page offers no tools."
		return r
	}
	var b strings.Builder
	for _, p := range list {
		b.WriteString(annotation.Quote(annotation.Clean(p.Name, 200)) + " ")
		b.WriteString(annotation.Quote(annotation.Clean(p.Description, 500)))
		if p.FillsForm {
			b.WriteString(" (fills in a form)")
		}
		if !slices.Contains(from, p.Origin) {
			// The frame does not become a source, so that sending data to its tool still needs a question.
			b.WriteString(" (of a frame; origin " + annotation.Clean(p.Origin, 200) + ")")
		}
		b.WriteString(" " + compactJSON(p.Parameters) + "\n")
	}
	r.Text = strings.TrimSuffix(b.String(), "\n")
	return r
}

func compactJSON(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "{}"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return observation.Escape(string(b))
}
