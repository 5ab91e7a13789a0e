package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/backend/calls/deadline"
	"sextant/shared/annotator"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// grace is how long an executor may take to end by itself after a stop; 100 ms is the
// bound that is promised.
const grace = 60 * time.Millisecond

// run executes the call under its deadline.
func (p *Pipeline) run(ctx context.Context, f *flight) *toolspec.Result {
	changes := !f.def.Hints.ReadOnly
	if changes {
		p.memory.changed()
		defer p.memory.changed()
	}
	limit := time.Duration(f.def.Deadline()) * time.Millisecond
	ctx, stop := deadline.With(ctx, limit)
	defer stop()
	out := p.newOutput(ctx, f)
	defer out.close()
	start := time.Now()
	result := p.execute(ctx, f, out)
	result.DurationMS = time.Since(start).Milliseconds()
	result = p.masked(result)
	result.Read = f.readFrom(result)
	p.noteRead(f, result)
	result = p.handOut(ctx, f, result)
	p.remember(f, result)
	return &result
}

// maxFault bounds what is told of an executor's own fault, in characters.
const maxFault = 1000

type outcome struct {
	result toolspec.Result
	err    error
}

// execute runs the executor in a goroutine of its own, so that one which does not listen
// cannot hold up a stop. Close waits for those.
func (p *Pipeline) execute(ctx context.Context, f *flight, out *output) toolspec.Result {
	done := make(chan outcome, 1)
	p.executions.Go(func() {
		var o outcome
		o.result, o.err = safely(func() (toolspec.Result, error) {
			return f.executor.Execute(ctx, f.call, f.def, out.write)
		})
		done <- o
	})
	select {
	case o := <-done:
		return p.settle(ctx, f, o)
	case <-ctx.Done():
	}
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case o := <-done:
		return p.settle(ctx, f, o)
	case <-wait.C:
		p.executions.Go(func() { // what it still comes to is nobody's
			if o := <-done; o.result.Whole != nil {
				o.result.Whole.Discard()
			}
		})
		return p.ended(ctx, f)
	}
}

// settle reads what an executor came back with.
func (p *Pipeline) settle(ctx context.Context, f *flight, o outcome) toolspec.Result {
	switch {
	case o.err == nil && o.result.Success:
		if err := writable(o.result.Value); err != nil {
			return toolspec.Fail(toolspec.SystemError, "its result cannot be written as JSON: "+err.Error(), "")
		}
		return o.result
	case ctx.Err() != nil && (o.err != nil || o.result.ErrorType == "" || errors.Is(context.Cause(ctx), errStopped)):
		r := p.ended(ctx, f)
		// What it came to until then is worth telling.
		r.Value, r.Text, r.Preview = o.result.Value, o.result.Text, o.result.Preview
		r.Sources, r.Read, r.Changed, r.Whole = o.result.Sources, o.result.Read, o.result.Changed, o.result.Whole
		return r
	case o.err != nil:
		p.cfg.Log.Error("executor failed", "tool", f.call.Tool, "call", f.call.ID, "err", o.err)
		// What failed may quote a page: who reads it is told whose words they are.
		r := toolspec.Fail(toolspec.SystemError, annotator.Clean(o.err.Error(), maxFault), "The rest keeps running. Try again; the log holds the details.")
		r.Sources = o.result.Sources
		return r
	}
	if o.result.Error == "" {
		o.result.Error = "it failed without saying why"
	}
	if o.result.ErrorType == "" {
		o.result.ErrorType = toolspec.SystemError
	}
	return o.result
}

// writable says why a value cannot be written as JSON.
func writable(value any) error {
	if _, ok := value.(toolspec.Written); ok {
		return nil
	}
	_, err := json.Marshal(value)
	return err
}

// ended words the end of a call by deadline or stop.
func (p *Pipeline) ended(ctx context.Context, f *flight) toolspec.Result {
	if errors.Is(context.Cause(ctx), deadline.ErrOver) {
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("not done after %s, so it was stopped; what it did until then stays", seconds(f.def.Deadline())),
			"Look at what it acted on, then do it in smaller steps.")
	}
	return f.stopped()
}

func (f *flight) stopped() toolspec.Result {
	f.status = event.CallStopped
	text := "stopped before it ran"
	if f.intent {
		text = "stopped while it ran; what it did until then stays"
	}
	return toolspec.Fail(toolspec.UserError, text, "Ask the person how to go on.")
}

func seconds(ms int) string {
	if ms%1000 == 0 {
		return fmt.Sprintf("%d s", ms/1000)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}
