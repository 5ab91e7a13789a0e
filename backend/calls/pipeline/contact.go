package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"sextant/backend/calls/deadline"
	"sextant/backend/guard/policy"
	"sextant/backend/record/audit"
	"sextant/shared/clip"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// maxTold bounds how much of a command a question about one of its hosts quotes, in characters.
const maxTold = 120

// Contact judges one host (host or host:port) that call, which runs, has come to: a command whose
// network the sandbox limits. It asks a person where there is one and returns nil for a yes; the error
// is a sentence for whoever reads what the command printed. The time of the call stands still while
// the question waits, and the question lapses with ctx. Each host that was judged is in the audit log.
func (p *Pipeline) Contact(ctx context.Context, call toolspec.Call, host string) error {
	f := &flight{call: call, begun: p.cfg.Now(), verdict: "none"}
	if p.selectTool(ctx, f) != nil {
		return errors.New("its tool is gone")
	}
	now, err := p.described(f)
	if err != nil {
		return errors.New("what it does cannot be told")
	}
	now = p.maskedDescription(now) // a person and the audit log see no secret that was put in
	command := clip.Runes(strings.Join(strings.Fields(now.Target), " "), maxTold)
	f.call.Args, err = json.Marshal(map[string]string{"host": host, "command": now.Target})
	if err != nil {
		return errors.New("what it does cannot be told") // strings only: this cannot happen
	}
	f.desc = toolspec.Description{
		Present: "Let a command reach " + host + ": " + command, Target: now.Target, Hosts: []string{host},
		Starting: true, Network: true, Limited: true, Contact: true,
	}
	p.judge(ctx, f)
	f.verdict, f.reason = "allowed", f.decision.Reason
	if f.decision.Grant != "" {
		f.verdict = "granted"
	}
	var refused error
	switch f.decision.Verdict {
	case policy.Refuse:
		f.verdict = "refused"
		refused = errors.New(f.decision.Reason + ". " + f.decision.Suggestion)
	case policy.Question:
		refused = p.askContact(ctx, f)
	}
	p.recordContact(ctx, f, host, refused)
	return refused
}

// askContact puts the question about a host to a person.
func (p *Pipeline) askContact(ctx context.Context, f *flight) error {
	asked := f.decision
	resume := deadline.Pause(ctx)
	answer, err := p.cfg.Desk.Ask(ctx, asked.Approval)
	resume()
	switch {
	case err != nil && ctx.Err() != nil:
		f.verdict, f.reason = "refused", "the command ended before the question was answered"
		return errors.New(f.reason)
	case err != nil:
		p.cfg.Log.Error("question not asked", "call", f.call.ID, "err", err)
		f.verdict, f.reason = "refused", "the question could not be put"
		return errors.New("it has to be asked, and the question could not be put")
	case answer.Answer == event.AnswerDeny || answer.Answer == "":
		f.verdict, f.reason = "denied", answer.Reason
		if answer.Reason != "" {
			return errors.New("declined by the person: " + answer.Reason)
		}
		return errors.New("declined by the person")
	}
	// While the question waited, a rule may have been made.
	if p.judge(ctx, f); f.decision.Verdict == policy.Refuse {
		f.verdict, f.reason = "refused", f.decision.Reason
		return errors.New(f.decision.Reason)
	}
	f.verdict, f.reason = string(answer.Answer), asked.Reason
	if g, keep := asked.Grants[answer.Answer]; keep {
		p.keep(ctx, g)
	}
	return nil
}

// recordContact writes down how a host was judged, as a row of its own besides the call's.
func (p *Pipeline) recordContact(ctx context.Context, f *flight, host string, refused error) {
	row := p.row(f)
	row.ID, row.Tool, row.Target = newID("c"), f.call.Tool+"_network", host
	row.Sentence = "Let a command reach " + host
	out := audit.Outcome{Status: event.CallDone}
	if refused != nil {
		row.Sentence = "Kept a command from " + host
		out.Status, out.Error = event.CallRefused, refused.Error()
	}
	if err := p.cfg.Audit.Record(context.WithoutCancel(ctx), row, out); err != nil {
		p.cfg.Log.Error("a host of a command is not in the audit log", "host", host, "err", err)
	}
}
