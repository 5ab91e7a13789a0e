package pipeline

import (
	"context"
	"time"

	"sextant/shared/toolspec"
)

// maxPageWait limits the time that a call of a turn waits for the page. Two thirds of the call's deadline limit it too.
const maxPageWait = 20 * time.Second

// takePage refuses the call while the person has taken over the page. For a call of a turn, it first waits until the
// page is given back, so that the turn can continue, and then refuses, because the page may have changed.
func (p *Pipeline) takePage(ctx context.Context, c *callState, out *output) *toolspec.Result {
	from := c.call.From
	if p.cfg.PageControl == nil || !c.call.Surface.IsWindowTab() || from.Caller == toolspec.CallerPerson {
		return nil
	}
	if c.def.Hints.ReadOnly || !p.cfg.PageControl.TakenOver() {
		p.mu.Lock()
		p.actor = from.Turn
		p.mu.Unlock()
		p.cfg.PageControl.SetActor(from.Caller)
		return nil
	}
	text := "the person has taken over the page; nothing was done"
	suggestion := "Wait until the person gives it back (Give back in the browser panel), then call annotate_page: " +
		"the page may have changed."
	if from.Turn != "" {
		out.write("progress", "Waiting: a person has taken over the page.")
		limit := time.Duration(c.def.TimeLimitMS()) * time.Millisecond * 2 / 3
		wait, cancel := context.WithTimeout(ctx, min(maxPageWait, limit))
		defer cancel()
		if p.cfg.PageControl.WaitReturned(wait) == nil {
			text = "the person had taken over the page and has given it back; nothing was done by this call"
			suggestion = "Call annotate_page to see what changed, then decide again."
		}
	}
	refusal := toolspec.Fail(toolspec.PermissionError, text, suggestion)
	if ctx.Err() != nil {
		refusal = p.ended(ctx, c)
	}
	return &refusal
}

// releasePage shows that nobody acts on the window's page after a call outside of turns. In a turn, endActor does this.
func (p *Pipeline) releasePage(c *callState) {
	if p.cfg.PageControl != nil && c.call.Surface.IsWindowTab() && c.call.From.Turn == "" {
		p.cfg.PageControl.SetActor("")
	}
}

// endActor shows that nobody acts on the window's page, if the turn that acted last has ended.
func (p *Pipeline) endActor(turn string) {
	p.mu.Lock()
	last := p.actor
	p.mu.Unlock()
	if p.cfg.PageControl != nil && turn != "" && last == turn {
		p.cfg.PageControl.SetActor("")
	}
}
