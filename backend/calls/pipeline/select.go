package pipeline

import (
	"context"
	"strings"

	"sextant/shared/toolspec"
)

// selectTool finds the call's tool in the Catalogue of its panel.
func (p *Pipeline) selectTool(_ context.Context, f *flight) *toolspec.Result {
	catalogue := p.cfg.Discovery.Discover(f.call.Panel)
	def, ok := catalogue.Get(f.call.Tool)
	if ok {
		f.def = def
		return nil
	}
	text := "there is no tool of that name"
	suggestion := "List the tools to see what can be called."
	if near := catalogue.Nearest(f.call.Tool); len(near) > 0 {
		text += ", nearest: " + strings.Join(near, ", ")
		suggestion = "Call " + near[0] + "."
	}
	r := toolspec.Fail(toolspec.ValidationError, text, suggestion)
	return &r
}
