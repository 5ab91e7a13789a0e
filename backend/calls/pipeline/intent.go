package pipeline

import (
	"context"

	"sextant/backend/record/audit"
	"sextant/shared/toolspec"
)

// intent writes what is about to happen and opens the call's card. Without that row nothing
// runs that can have an effect.
func (p *Pipeline) intent(ctx context.Context, f *flight) *toolspec.Result {
	if err := p.pay(ctx); err != nil {
		p.cfg.Log.Error("audit rows are still not written", "call", f.call.ID, "err", err)
		return unwritten(err.Error())
	}
	row := p.row(f)
	if f.looks() {
		p.announce(ctx, f)
		f.intent = true
		f.writes.add(func() {
			if err := p.cfg.Audit.Intent(context.WithoutCancel(ctx), row); err != nil {
				// Both rows are tried once more together when it is over.
				f.unwritten = true
				p.cfg.Log.Error("intent not written", "call", f.call.ID, "err", err)
			}
		})
		return nil
	}
	if err := p.cfg.Audit.Intent(context.WithoutCancel(ctx), row); err != nil {
		p.cfg.Log.Error("intent not written", "call", f.call.ID, "err", err)
		return unwritten("its audit row could not be written: " + err.Error())
	}
	f.intent = true
	p.announce(ctx, f)
	return nil
}

func (p *Pipeline) row(f *flight) audit.Row {
	conversation, turn := f.call.From.Place()
	return audit.Row{
		ID: f.call.ID, Tool: f.call.Tool, Origin: f.def.Origin, Caller: f.call.From.Caller, Client: f.call.From.Client,
		Conversation: conversation, Turn: turn, Args: p.shown(f),
		Sentence: f.desc.Present, Target: f.desc.Target, Decision: f.verdict, Reason: f.reason, Grant: f.decision.Grant,
		Answer: f.answer, WaitedMS: f.waited.Milliseconds(), Started: f.begun.UTC(),
	}
}
