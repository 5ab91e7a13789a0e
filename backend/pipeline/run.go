package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sextant/backend/pipeline/deadline"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// grace is the time that an executor gets to return after a stop or its deadline. Do promises 100 ms in all.
const grace = 60 * time.Millisecond

func (p *Pipeline) run(ctx context.Context, c *callState) *toolspec.Result {
	if !c.def.Hints.ReadOnly {
		p.repeats.changed()
		defer p.repeats.changed()
	}
	ctx, stop := deadline.With(ctx, time.Duration(c.def.TimeLimitMS())*time.Millisecond)
	defer stop()
	out := p.newOutput(ctx, c)
	defer out.close()
	p.allowTypedHosts(c)
	start := time.Now()
	readBefore := p.read.Private(contextKey(c.call.From))
	var result toolspec.Result
	if refusal := p.takePage(ctx, c, out); refusal != nil {
		result = *refusal
	} else {
		result = p.execute(ctx, c, out)
		p.releasePage(c)
	}
	result.DurationMS = time.Since(start).Milliseconds()
	if c.trial != nil {
		result.DurationMS += c.trial.DurationMS
	}
	result = p.masked(result)
	result.PrivateSources = p.readFrom(c, result, readBefore)
	p.noteRead(c, result)
	result = p.shorten(ctx, c, result)
	p.remember(c, result)
	return &result
}

// allowTypedHosts makes the dialer allow the hosts of a baseline call that the person typed. The policy has already
// allowed the call.
func (p *Pipeline) allowTypedHosts(c *callState) {
	if p.cfg.Dialer == nil || c.def.Origin != toolspec.OriginBaseline {
		return
	}
	for _, host := range c.desc.Hosts {
		if p.IsHostAllowed(c.call.From.Session, host) {
			p.cfg.Dialer.AllowTyped(host)
		}
	}
}

const maxFault = 1000

type execution struct {
	result toolspec.Result
	err    error
}

// execute runs the executor in a separate goroutine, so that an executor that ignores a stop does not delay it. Close
// waits for these goroutines.
func (p *Pipeline) execute(ctx context.Context, c *callState, out *output) toolspec.Result {
	done := make(chan execution, 1)
	do := func() (toolspec.Result, error) { return c.executor.Execute(ctx, c.call, c.def, out.write) }
	if c.trial != nil {
		do = func() (toolspec.Result, error) { return c.trial.Apply(ctx) }
	}
	p.executions.Go(func() {
		var e execution
		e.result, e.err = safely(do)
		done <- e
	})
	select {
	case e := <-done:
		return p.resultOf(ctx, c, e)
	case <-ctx.Done():
	}
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case e := <-done:
		return p.resultOf(ctx, c, e)
	case <-wait.C:
		p.executions.Go(func() { // no caller takes this result
			if e := <-done; e.result.Spooled != nil {
				e.result.Spooled.Discard()
			}
		})
		return p.ended(ctx, c)
	}
}

// resultOf converts what an executor returned to a Result. A stop or an exceeded deadline replaces most failures, but
// keeps their output.
func (p *Pipeline) resultOf(ctx context.Context, c *callState, e execution) toolspec.Result {
	stopped := errors.Is(context.Cause(ctx), errStopped)
	switch {
	case e.err == nil && e.result.Success:
		if err := checkJSON(e.result.Value); err != nil {
			return toolspec.Fail(toolspec.SystemError, "its result cannot be written as JSON: "+err.Error(), "")
		}
		return e.result
	case ctx.Err() != nil && (e.err != nil || e.result.ErrorType == "" || stopped):
		r := p.ended(ctx, c)
		// The output up to the stop is still reported.
		r.Value, r.Text, r.Preview = e.result.Value, e.result.Text, e.result.Preview
		r.Sources, r.PrivateSources = e.result.Sources, e.result.PrivateSources
		r.Changed, r.Spooled = e.result.Changed, e.result.Spooled
		return r
	case e.err != nil:
		p.cfg.Log.Error("executor failed", "tool", c.call.Tool, "call", c.call.ID, "err", e.err)
		// The failure may quote a page, so it gets the result's sources.
		r := toolspec.Fail(toolspec.SystemError, annotation.Clean(withoutGoTimeout(e.err), maxFault),
			"Everything else keeps running. Try again; the log has the details.")
		r.Sources = e.result.Sources
		return r
	}
	if e.result.Error == "" {
		e.result.Error = "it failed without saying why"
	}
	if e.result.ErrorType == "" {
		e.result.ErrorType = toolspec.SystemError
	}
	return e.result
}

// withoutGoTimeout returns the text of err, with plain words for Go's error of an ended context.
func withoutGoTimeout(err error) string {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), context.DeadlineExceeded.Error(), "no answer in time")
}

func checkJSON(value any) error {
	if _, ok := value.(toolspec.JSONAppender); ok {
		return nil
	}
	_, err := json.Marshal(value)
	return err
}

func (p *Pipeline) ended(ctx context.Context, c *callState) toolspec.Result {
	if errors.Is(context.Cause(ctx), deadline.ErrExceeded) {
		return toolspec.Fail(toolspec.SystemError,
			"it was not done after "+seconds(c.def.TimeLimitMS())+" and was stopped; its effects so far remain",
			"Check what it changed, then do it in smaller steps.")
	}
	return c.stopped()
}

func (c *callState) stopped() toolspec.Result {
	c.status = event.CallStopped
	text := "stopped before it ran"
	if c.intent {
		text = "stopped while it ran; its effects so far remain"
	}
	return toolspec.Fail(toolspec.UserError, text, "Ask the person how to continue.")
}

func seconds(ms int) string {
	if ms%1000 == 0 {
		return fmt.Sprintf("%d s", ms/1000)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}
