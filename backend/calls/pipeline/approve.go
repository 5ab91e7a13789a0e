package pipeline

import (
	"context"
	"slices"

	"sextant/backend/calls/deadline"
	"sextant/backend/guard/policy"
	"sextant/backend/record/audit"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// approve puts the policy's question to a person and goes on with a yes.
func (p *Pipeline) approve(ctx context.Context, f *flight) *toolspec.Result {
	if f.decision.Verdict != policy.Question {
		return p.goOn(f)
	}
	asked := f.decision
	// The question belongs on the call's card.
	p.announce(ctx, f)
	f.writes.wait()
	// The execution this call came from, if any, does not pay for the person's time.
	resume := deadline.Pause(ctx)
	asked.Approval.Args = p.cfg.Secrets.MaskJSON(asked.Approval.Args)
	put := p.cfg.Now()
	answer, err := p.cfg.Desk.Ask(ctx, asked.Approval)
	f.answer, f.waited = audit.AnswerLapsed, p.cfg.Now().Sub(put)
	resume()
	if err != nil {
		if ctx.Err() != nil {
			r := f.stopped()
			return &r
		}
		p.cfg.Log.Error("question not asked", "call", f.call.ID, "err", err)
		r := toolspec.Fail(toolspec.SystemError, "it has to be asked, and the question could not be put, so it did not run",
			"Nothing was changed. Check that the disk is not full, then try again.")
		return &r
	}
	if answer.Answer != "" {
		f.answer = string(answer.Answer)
	}
	if answer.Answer == event.AnswerDeny || answer.Answer == "" {
		return f.declined(answer.Reason)
	}
	if changed := p.changed(f); changed != nil {
		return changed
	}
	// While the question waited, the mode may have become stricter.
	p.judge(ctx, f)
	if f.decision.Verdict == policy.Refuse {
		return f.refused()
	}
	f.verdict, f.reason, f.asked = string(answer.Answer), asked.Reason, asked.Approval.Question
	if g, keep := asked.Grants[answer.Answer]; keep {
		p.keep(ctx, g)
	}
	return p.goOn(f)
}

// changed refuses a call that would do something else now than what the person said yes to: the
// dialog, the tab or the file behind its arguments may be another one.
func (p *Pipeline) changed(f *flight) *toolspec.Result {
	now, err := p.described(f)
	now = p.maskedDescription(now)
	was := f.desc
	if err == nil && was.Starts != "" && now.Starts == "" {
		return nil // the program was started meanwhile, by another call
	}
	if err == nil && now.Target == was.Target && now.Data == was.Data && now.Annotation == was.Annotation && sameDoings(now, was) {
		return nil
	}
	f.verdict, f.reason, f.status = "refused", "what it acts on changed while the question waited", event.CallRefused
	r := toolspec.Fail(toolspec.PermissionError, "what it acts on changed while the question waited, so it did not run",
		"Look at the page again, then ask again.")
	return &r
}

// sameDoings reports whether two descriptions name the same hosts, files and programs, inside of
// the sandbox or outside of it.
func sameDoings(now, was toolspec.Description) bool {
	return slices.Equal(now.Hosts, was.Hosts) && slices.Equal(now.Files, was.Files) && slices.Equal(now.Commands, was.Commands) &&
		now.Network == was.Network && now.Unconfined == was.Unconfined
}

func (f *flight) declined(reason string) *toolspec.Result {
	f.verdict, f.reason, f.status = "denied", reason, event.CallDeclined
	text := "declined by the person"
	if reason != "" {
		text += ": " + reason
	}
	r := toolspec.Fail(toolspec.PermissionError, text, "Go on without it, or ask the person what to do instead.")
	return &r
}

// keep stores a grant. When that fails, the answer still holds for this call, and the next
// one is asked again.
func (p *Pipeline) keep(ctx context.Context, g toolspec.Grant) {
	g.ID = newID("g")
	if err := p.cfg.Grants.AddGrant(context.WithoutCancel(ctx), g); err != nil {
		p.cfg.Log.Error("grant not kept", "tool", g.Tool, "err", err)
	}
}

// goOn notes the hosts of a call that may run: typed ones are open from now on, all are
// known.
func (p *Pipeline) goOn(f *flight) *toolspec.Result {
	session := f.call.From.Session
	p.hosts.open(session, f.decision.Opens)
	p.hosts.use(session, f.decision.Contacts)
	p.lent.note(talk(f.call.From), f.desc.Secrets)
	return nil
}
