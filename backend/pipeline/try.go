package pipeline

import (
	"context"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// try runs a call on a copy of the workspace folder and decides again, so that the person is asked about what the call
// did, or not at all. A call that cannot be tried is judged as it is. It returns a result if the call was stopped.
func (p *Pipeline) try(ctx context.Context, c *callState) *toolspec.Result {
	t, ok := p.executor(c.def.Origin).(Trier)
	if !ok {
		return nil
	}
	p.announce(ctx, c)
	out := p.newOutput(ctx, c)
	defer out.close()
	trial, err := p.runTrial(ctx, c, t, out)
	if ctx.Err() != nil {
		r := c.stopped()
		return &r
	}
	if err != nil {
		p.cfg.Log.Warn("a call was not tried", "call", c.call.ID, "err", err)
	}
	if trial == nil {
		return nil
	}
	for _, chunk := range trial.Output {
		out.write(chunk.Stream, chunk.Text)
	}
	trial.Question, trial.Diff = p.cfg.Secrets.Mask(trial.Question), p.cfg.Secrets.Mask(trial.Diff)
	p.decide(ctx, c)
	return nil
}

// slowTrial is the time after which the window says what the call waits for.
const slowTrial = time.Second

// runTrial sets the trial of the call if there is one. After a stop it does not wait for it.
func (p *Pipeline) runTrial(ctx context.Context, c *callState, t Trier, out *output) (*toolspec.Trial, error) {
	type outcome struct {
		trial *toolspec.Trial
		err   error
	}
	done := make(chan outcome, 1)
	p.executions.Go(func() {
		var o outcome
		o.trial, o.err = safely(func() (*toolspec.Trial, error) { return t.Try(ctx, c.call) })
		done <- o
	})
	var late <-chan time.Time
	stopped, slow := ctx.Done(), time.After(slowTrial)
	for {
		select {
		case <-slow:
			out.write(string(event.StreamProgress), "Trying it on a copy of the folder first\n")
		case o := <-done:
			c.trial = o.trial
			return o.trial, o.err
		case <-stopped:
			stopped, late = nil, time.After(grace)
		case <-late:
			p.executions.Go(func() {
				if o := <-done; o.trial != nil {
					o.trial.Discard()
				}
			})
			return nil, ctx.Err()
		}
	}
}

// discardTrial removes the copy in the background, because Apply may still be at work after a stop.
func (p *Pipeline) discardTrial(c *callState) {
	if c.trial != nil {
		p.executions.Go(c.trial.Discard)
	}
}
