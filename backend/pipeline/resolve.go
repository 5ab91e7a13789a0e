package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"sextant/backend/policy"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// selectTool finds the call's tool in a catalog: that of the page for a panel's page, that of the server for an MCP
// server's page, and otherwise that of the active panel.
func (p *Pipeline) selectTool(_ context.Context, c *callState) *toolspec.Result {
	if c.call.Refused != nil {
		return c.call.Refused
	}
	catalog := p.cfg.Tools.ForPanel(c.call.Panel)
	switch c.call.From.Caller {
	case toolspec.CallerPanel:
		catalog = p.cfg.Tools.ForPage(c.call.From.Client)
	case toolspec.CallerApp:
		catalog = p.cfg.Tools.ForApp(c.call.From.Client)
	}
	def, ok := catalog.Get(c.call.Tool)
	if ok {
		c.def = def
		return nil
	}
	if c.call.From.Caller != toolspec.CallerPanel && c.call.From.Caller != toolspec.CallerApp {
		if def, off, ok := p.cfg.Tools.Unavailable(c.call.Tool); ok {
			return p.unavailable(def, off, c.call.Panel)
		}
		if why := p.cfg.Tools.Explain(c.call.Tool); why != nil {
			return why
		}
	}
	text := "there is no tool of that name"
	suggestion := "List the tools to see what can be called."
	if near := catalog.Nearest(c.call.Tool); len(near) > 0 {
		text += ", nearest: " + strings.Join(near, ", ")
		suggestion = "Call " + near[0] + "."
	}
	r := toolspec.Fail(toolspec.ValidationError, text, suggestion)
	return &r
}

// unavailable explains why a tool that exists cannot be called while panel is active, and what makes it callable.
func (p *Pipeline) unavailable(def toolspec.Definition, off bool, panel string) *toolspec.Result {
	text, suggestion := "it is switched off", "The person can switch it on in Tools and activity."
	switch {
	case off:
	case def.Origin == toolspec.OriginPanel && def.Owner != panel:
		text = "it is a tool of the panel " + def.Owner + ", which is not open"
		suggestion = "Call " + p.cfg.OpenTool(def.Owner) + " first."
	case def.Origin == toolspec.OriginBaseline:
		text = "the group of tools " + def.Group + " is switched off"
		suggestion = "The person can switch it on in Settings."
	default:
		text = "it is not offered now"
		suggestion = "A panel's manifest says when its tools are, for example only on certain pages."
	}
	r := toolspec.Fail(toolspec.ValidationError, text, suggestion)
	return &r
}

// reach refuses a panel's call of a tool that is neither its own nor named by its manifest, and a call by the page of
// an MCP server of another server's tool. It runs before validate, so that the refusal reveals nothing about the tool's
// parameters.
func (p *Pipeline) reach(_ context.Context, c *callState) *toolspec.Result {
	beyond := false
	if c.decision, beyond = policy.RefusePanelCall(c.call, c.def, p.callTools(c.call.From)); beyond {
		return c.refusedByPolicy()
	}
	return nil
}

func (p *Pipeline) callTools(from toolspec.Provenance) []string {
	if from.Caller != toolspec.CallerPanel || p.cfg.CallTools == nil {
		return nil
	}
	return p.cfg.CallTools(from.Client)
}

func (p *Pipeline) validate(_ context.Context, c *callState) *toolspec.Result {
	canonical, problem := p.checker.Check(c.def, c.call.Args)
	if problem != nil {
		// The call is still reported, so its secret arguments must be known.
		if desc, err := p.describeCall(c); err == nil {
			c.desc.SecretArgs = desc.SecretArgs
		}
		return problem
	}
	c.call.Args = canonical
	return nil
}

func (p *Pipeline) refuse(_ context.Context, c *callState) *toolspec.Result {
	r, ok := p.executor(c.def.Origin).(Refuser)
	if !ok {
		return nil
	}
	refusal, err := safely(func() (*toolspec.Result, error) { return r.Refuse(c.call), nil })
	if err != nil || refusal == nil {
		return nil // Execute reports the failure
	}
	return c.refused(*refusal)
}

// refused returns r and records it as a refusal: the status of the call, and the decision and its reason in the audit
// row.
func (c *callState) refused(r toolspec.Result) *toolspec.Result {
	c.row.Decision, c.row.Reason, c.status = "refused", r.Error, event.CallRefused
	return &r
}

// resolveSurface sets the surface of the call. Later changes in the window do not affect it.
func (p *Pipeline) resolveSurface(_ context.Context, c *callState) *toolspec.Result {
	c.call.Surface = nil
	if s, ok := p.executor(c.def.Origin).(SurfaceResolver); ok {
		c.call.Surface = s.Surface(c.call)
	}
	return nil
}

func (p *Pipeline) describe(_ context.Context, c *callState) *toolspec.Result {
	desc, err := p.describeCall(c)
	if err != nil {
		p.cfg.Log.Error("describing a call failed", "tool", c.call.Tool, "err", err)
		r := toolspec.Fail(toolspec.SystemError, "what it would do could not be determined, so it did not run",
			"Nothing was changed. The log has the details.")
		return &r
	}
	desc.Note = cmp.Or(desc.Note, c.call.Purpose)
	c.desc = p.maskedDescription(desc)
	// The window puts it in quotes.
	note := strings.NewReplacer("“", `"`, "”", `"`).Replace(excerpt.Line(c.desc.Note, maxPurpose))
	c.desc.Note = excerpt.Escape(note)
	if c.desc.Sentence == "" {
		c.desc.Sentence = "Running " + c.call.Tool
	}
	p.findCopied(c)
	return nil
}

func (p *Pipeline) describeCall(c *callState) (toolspec.Description, error) {
	d, ok := p.executor(c.def.Origin).(Describer)
	if !ok {
		return toolspec.Description{}, nil
	}
	return safely(func() (toolspec.Description, error) { return d.Describe(c.call), nil })
}

func (p *Pipeline) route(_ context.Context, c *callState) *toolspec.Result {
	if c.executor = p.executor(c.def.Origin); c.executor != nil {
		return nil
	}
	r := toolspec.Fail(toolspec.SystemError, "tools of origin "+string(c.def.Origin)+" are not available here",
		"Nothing was changed.")
	return &r
}

func (p *Pipeline) executor(origin toolspec.Origin) Executor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.executors[origin]
}

func safely[T any](do func() (T, error)) (value T, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	return do()
}
