package pipeline

import (
	"context"
	"fmt"

	"sextant/shared/clip"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// describe learns what the call will do.
func (p *Pipeline) describe(_ context.Context, f *flight) *toolspec.Result {
	desc, err := p.described(f)
	if err != nil {
		p.cfg.Log.Error("describing a call failed", "tool", f.call.Tool, "err", err)
		r := toolspec.Fail(toolspec.SystemError, "what it would do cannot be told, so it did not run",
			"Nothing was changed. The log holds the details.")
		return &r
	}
	f.desc = p.maskedDescription(desc)
	if f.desc.Present == "" {
		f.desc.Present = "Running " + f.call.Tool
	}
	p.copied(f)
	return nil
}

// refuse ends a call that its executor will not run whatever a person says, before one is asked.
func (p *Pipeline) refuse(_ context.Context, f *flight) *toolspec.Result {
	r, ok := p.executor(f.def.Origin).(Refuser)
	if !ok {
		return nil
	}
	refusal, err := safely(func() (*toolspec.Result, error) { return r.Refuse(f.call), nil })
	if err != nil || refusal == nil {
		return nil // what is wrong with it, running it will tell
	}
	f.verdict, f.reason, f.status = "refused", refusal.Error, event.CallRefused
	return refusal
}

// described is what the executor says of the call, empty when it says nothing.
func (p *Pipeline) described(f *flight) (toolspec.Description, error) {
	d, ok := p.executor(f.def.Origin).(Describer)
	if !ok {
		return toolspec.Description{}, nil
	}
	return safely(func() (toolspec.Description, error) { return d.Describe(f.call), nil })
}

// announce publishes the start of a call, once.
func (p *Pipeline) announce(ctx context.Context, f *flight) {
	if f.announced {
		return
	}
	sentence := f.desc.Present
	if sentence == "" {
		sentence = "Calling " + clip.Runes(f.call.Tool, maxValue)
	}
	app := ""
	if f.call.From.Caller != toolspec.CallerApp {
		app = f.def.App
	}
	p.publish(ctx, f, event.New(event.CallStarted, event.CallStart{
		Tool: f.call.Tool, Args: p.shown(f), Origin: f.def.Origin, Owner: f.def.Owner,
		Sentence: sentence, Caller: f.call.From.Caller, Client: f.call.From.Client, TimeoutMS: f.limit(),
		Looks: f.def.Hints.ReadOnly && !f.desc.Moves, Within: f.call.Within, App: app,
	}))
	f.announced = true
}

// limit is after how many milliseconds of running the call has ended: by what its arguments say,
// at the latest by its tool's deadline.
func (f *flight) limit() int {
	if own := f.desc.LimitMS; own > 0 {
		return min(own, f.def.Deadline())
	}
	return f.def.Deadline()
}

// publish stores an event of the call, after what was published before. A failure is logged
// only: what must be on disk before an effect is the intent.
func (p *Pipeline) publish(ctx context.Context, f *flight, e event.Event) {
	acted := f.intent && !f.looks()
	f.writes.add(func() { p.store(ctx, f, e, acted) })
}

func (p *Pipeline) store(ctx context.Context, f *flight, e event.Event, acted bool) {
	e = e.In(f.call.From.Place()).Of(f.call.ID)
	// A stopped call still tells how it ended.
	err := p.unheard.publish(context.WithoutCancel(ctx), p.cfg.Recorder, e, acted)
	if err != nil {
		p.cfg.Log.Error("event of a call not stored", "kind", e.Kind, "call", f.call.ID, "err", err)
	}
}

// safely runs do and turns a panic into an error.
func safely[T any](do func() (T, error)) (value T, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	return do()
}
