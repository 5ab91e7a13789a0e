package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"sextant/backend/policy"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const maxCommand = 120

// CheckHost judges a host (host or host:port) to which a running command connects under a network limit of the sandbox.
// If the policy wants a question, CheckHost asks the person; meanwhile the deadline of the call is paused. It returns
// nil if the connection is allowed, and otherwise a sentence for the command's output.
func (p *Pipeline) CheckHost(ctx context.Context, call toolspec.Call, host string) error {
	c := p.newCall(call)
	if p.selectTool(ctx, c) != nil {
		return errors.New("its tool no longer exists")
	}
	now, err := p.describeCall(c)
	if err != nil {
		return errNotDescribed
	}
	now = p.maskedDescription(now) // the question and the audit log must not show secrets
	command := excerpt.TruncateRunes(strings.Join(strings.Fields(now.Target), " "), maxCommand)
	if c.call.Args, err = json.Marshal(map[string]string{"host": host, "command": now.Target}); err != nil {
		return errNotDescribed
	}
	c.desc = toolspec.Description{
		Sentence: "Allow a command to connect to " + host + ": " + command, Target: now.Target, Hosts: []string{host},
		RunsProgram: true, Network: true, HostsLimited: true, HostCheck: true,
	}
	p.decide(ctx, c)
	c.allowedByPolicy()
	var refused error
	switch c.decision.Verdict {
	case policy.VerdictRefuse:
		p.parkRun(c)
		c.row.Decision = "refused"
		refused = errors.New(c.decision.Reason + ". " + c.decision.Suggestion)
	case policy.VerdictAsk:
		refused = p.askHost(ctx, c)
	}
	p.recordHost(ctx, c, host, refused)
	return refused
}

var errNotDescribed = errors.New("what it would do could not be determined")

func (p *Pipeline) askHost(ctx context.Context, c *callState) error {
	asked := c.decision
	answer, err := p.ask(ctx, asked.Approval)
	switch {
	case err != nil && ctx.Err() != nil:
		c.row.Decision, c.row.Reason = "refused", "the command ended before the question was answered"
		return errors.New(c.row.Reason)
	case err != nil:
		p.cfg.Log.Error("question not asked", "call", c.call.ID, "err", err)
		c.row.Decision, c.row.Reason = "refused", "the question could not be stored"
		return errors.New("it needs a person's approval, but the question could not be stored")
	case answer.Answer == event.AnswerDeny || answer.Answer == "":
		c.row.Decision, c.row.Reason = "denied", answer.Reason
		if answer.Reason != "" {
			return errors.New("declined by the person: " + answer.Reason)
		}
		return errors.New("declined by the person")
	}
	// A rule may have been added while the question waited.
	if p.decide(ctx, c); c.decision.Verdict == policy.VerdictRefuse {
		c.row.Decision, c.row.Reason = "refused", c.decision.Reason
		return errors.New(c.decision.Reason)
	}
	c.row.Decision, c.row.Reason = string(answer.Answer), asked.Reason
	if g, ok := asked.Grants[answer.Answer]; ok {
		p.addGrant(ctx, g)
	}
	return nil
}

func (p *Pipeline) recordHost(ctx context.Context, c *callState, host string, refused error) {
	row := p.auditRow(c)
	row.ID, row.Tool, row.Target = newID("c"), c.call.Tool+"_network", host
	row.Sentence = "Allowed a command to connect to " + host
	out := event.CallResult{Status: event.CallDone}
	if refused != nil {
		row.Sentence = "Blocked a command from connecting to " + host
		out.Status, out.Error = event.CallRefused, refused.Error()
	}
	if err := p.cfg.Audit.WriteCall(context.WithoutCancel(ctx), row, out); err != nil {
		p.cfg.Log.Error("a host of a command is not in the audit log", "host", host, "err", err)
	}
}
