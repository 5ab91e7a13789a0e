package pipeline

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sextant/backend/pipeline/deadline"
	"sextant/backend/policy"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (p *Pipeline) approve(ctx context.Context, c *callState) *toolspec.Result {
	if c.decision.Verdict != policy.VerdictAsk {
		return p.approved(c)
	}
	asked := c.decision
	// The window shows the question with its call.
	p.announce(ctx, c)
	c.writes.wait()
	shown := p.cfg.Secrets.MaskJSON(asked.Approval.Args)
	if string(shown) != string(asked.Approval.Args) {
		asked.Approval.EditArg = "" // an edit would write the mask instead of the secret
	}
	asked.Approval.Args = shown
	begun := p.cfg.Now()
	answer, err := p.ask(ctx, asked.Approval)
	c.row.Answer, c.row.WaitedMS = event.NoAnswer, p.cfg.Now().Sub(begun).Milliseconds()
	if err != nil {
		if ctx.Err() != nil {
			r := c.stopped()
			return &r
		}
		p.cfg.Log.Error("question not asked", "call", c.call.ID, "err", err)
		r := toolspec.Fail(toolspec.SystemError,
			"it needs a person's approval, but the question could not be stored, so it did not run",
			"Nothing was changed. Check that the data folder is there and its disk is not full, then try again.")
		return &r
	}
	if answer.Answer != "" {
		c.row.Answer = string(answer.Answer)
	}
	if answer.Answer == event.AnswerDeny || answer.Answer == "" {
		return c.declined(answer.Reason)
	}
	if changed := p.changed(c); changed != nil {
		return changed
	}
	if answer.Edited {
		if problem := p.applyEdit(ctx, c, asked.Approval.EditArg, answer.EditedText); problem != nil {
			return problem
		}
	}
	// The rules may have become stricter while the question waited.
	p.decide(ctx, c)
	if c.decision.Verdict == policy.VerdictRefuse {
		return c.refusedByPolicy()
	}
	c.row.Decision, c.row.Reason, c.asked = string(answer.Answer), asked.Reason, asked.Approval.Question
	grants := asked.Grants
	if c.edited {
		// A grant for exactly these arguments means the edited ones.
		grants = c.decision.Grants
	}
	if g, ok := grants[answer.Answer]; ok {
		p.addGrant(ctx, g)
	}
	return p.approved(c)
}

// ask puts a question to the person. Meanwhile, the deadline of the execution that made this call is paused.
func (p *Pipeline) ask(ctx context.Context, question event.Approval) (event.ApprovalAnswer, error) {
	resume := deadline.Pause(ctx)
	defer resume()
	return p.cfg.Approvals.Ask(ctx, question)
}

// changed refuses a call that would now have another effect than the person allowed: its arguments may refer to another
// dialog, tab or file by now.
func (p *Pipeline) changed(c *callState) *toolspec.Result {
	now, err := p.describeCall(c)
	now = p.maskedDescription(now)
	was := c.desc
	if err == nil && was.NewProgram != "" && now.NewProgram == "" {
		return nil // another call has started the program in the meantime
	}
	if err == nil && sameEffects(now, was) {
		return nil
	}
	return p.actsElsewhere(c)
}

func (p *Pipeline) actsElsewhere(c *callState) *toolspec.Result {
	const reason = "what it acts on changed while the question waited"
	r := c.refused(toolspec.Fail(toolspec.PermissionError, reason+", so it did not run",
		"Look at the page again, then ask again."))
	c.row.Reason = reason
	return r
}

// applyEdit replaces the argument that the person edited. The call is refused if it would then act on something else.
func (p *Pipeline) applyEdit(ctx context.Context, c *callState, name, text string) *toolspec.Result {
	var fields map[string]json.RawMessage
	value, err := json.Marshal(text)
	if err == nil {
		err = json.Unmarshal(c.call.Args, &fields)
	}
	if err == nil && fields != nil {
		fields[name] = value
		c.call.Args, err = json.Marshal(fields)
	}
	if err != nil {
		r := toolspec.Fail(toolspec.SystemError, "the edited text could not be used, so it did not run",
			"Nothing was changed.")
		return &r
	}
	before := c.desc
	if problem := p.validate(ctx, c); problem != nil {
		return problem
	}
	if problem := p.describe(ctx, c); problem != nil {
		return problem
	}
	now := c.desc
	now.Data, now.Diff = before.Data, before.Diff
	if !sameEffects(now, before) {
		return p.actsElsewhere(c)
	}
	c.edited = true
	return nil
}

func sameEffects(a, b toolspec.Description) bool {
	return a.Target == b.Target && a.Data == b.Data && changedLines(a.Diff) == changedLines(b.Diff) &&
		a.Annotation == b.Annotation && slices.Equal(a.Hosts, b.Hosts) &&
		slices.Equal(a.Files, b.Files) && slices.Equal(a.Commands, b.Commands) &&
		a.Network == b.Network && a.Unconfined == b.Unconfined
}

// changedLines leaves out line numbers and unchanged lines, which another edit of the file changes.
func changedLines(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] == '+' || line[0] == '-' {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (c *callState) declined(reason string) *toolspec.Result {
	c.row.Decision, c.row.Reason, c.status = "denied", reason, event.CallDeclined
	text := "declined by the person"
	if reason != "" {
		text += ": " + reason
	}
	r := toolspec.Fail(toolspec.PermissionError, text, "Continue without it, or ask the person what to do instead.")
	return &r
}

// addGrant stores a grant. If that fails, the answer still applies to this call, and the next call asks again.
func (p *Pipeline) addGrant(ctx context.Context, g toolspec.Grant) {
	g.ID = newID("g")
	if err := p.cfg.Grants.AddGrant(context.WithoutCancel(ctx), g); err != nil {
		p.cfg.Log.Error("grant not stored", "tool", g.Tool, "err", err)
	}
}

// approved records the hosts and secrets of a call that may run. Hosts that the person typed are open from now on.
func (p *Pipeline) approved(c *callState) *toolspec.Result {
	if problem := p.useCard(c); problem != nil {
		return problem
	}
	session := c.call.From.Session
	p.hosts.open(session, c.decision.OpenedHosts)
	p.hosts.use(session, c.decision.ContactedHosts)
	p.secretUses.add(contextKey(c.call.From), c.desc.Secrets)
	return nil
}
