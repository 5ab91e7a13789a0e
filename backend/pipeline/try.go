package pipeline

import (
	"context"

	"sextant/shared/toolspec"
)

// try runs a call on a copy of the workspace folder and decides again, so that the person is asked about what the call
// did, or not at all. A call that cannot be tried is judged as it is.
func (p *Pipeline) try(ctx context.Context, c *callState) {
	t, ok := p.executor(c.def.Origin).(Trier)
	if !ok {
		return
	}
	p.announce(ctx, c)
	out := p.newOutput(ctx, c)
	trial, err := safely(func() (*toolspec.Trial, error) { return t.Try(ctx, c.call, out.write) })
	out.close()
	if err != nil {
		p.cfg.Log.Warn("a call was not tried", "call", c.call.ID, "err", err)
	}
	if trial == nil {
		return
	}
	trial.Question, trial.Diff = p.cfg.Secrets.Mask(trial.Question), p.cfg.Secrets.Mask(trial.Diff)
	c.trial = trial
	p.decide(ctx, c)
}

func (c *callState) discardTrial() {
	if c.trial != nil {
		c.trial.Discard()
	}
}
