package pipeline

import (
	"context"
	"strings"

	"sextant/backend/guard/policy"
	"sextant/shared/toolspec"
)

// selectTool finds the call's tool in the Catalogue of its panel, for a panel in that of its page, for
// the page of an MCP server in that of its server.
func (p *Pipeline) selectTool(_ context.Context, f *flight) *toolspec.Result {
	catalogue := p.cfg.Discovery.Discover(f.call.Panel)
	switch f.call.From.Caller {
	case toolspec.CallerPanel:
		catalogue = p.cfg.Discovery.Page(f.call.From.Client)
	case toolspec.CallerApp:
		catalogue = p.cfg.Discovery.App(f.call.From.Client)
	}
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

// reach ends a panel's call of what is neither its own nor named by its manifest, before anything
// is said about how it would have to be called.
func (p *Pipeline) reach(_ context.Context, f *flight) *toolspec.Result {
	beyond := false
	if f.decision, beyond = policy.Reach(f.call, f.def, p.callTools(f.call.From)); beyond {
		return f.refused()
	}
	return nil
}

// callTools are the tools beside its own that the panel which calls may call.
func (p *Pipeline) callTools(from toolspec.Provenance) []string {
	if from.Caller != toolspec.CallerPanel || p.cfg.CallTools == nil {
		return nil
	}
	return p.cfg.CallTools(from.Client)
}
