package pipeline

import (
	"context"

	"sextant/backend/guard/policy"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// policy asks the one policy. A refusal ends the call; a question goes on to approve.
func (p *Pipeline) policy(ctx context.Context, f *flight) *toolspec.Result {
	p.judge(ctx, f)
	switch f.decision.Verdict {
	case policy.Refuse:
		return f.refused()
	case policy.Allow:
		f.verdict, f.reason = "allowed", f.decision.Reason
		if f.decision.Grant != "" {
			f.verdict = "granted"
		}
	}
	return nil
}

// judge takes the decision by what holds at this moment.
func (p *Pipeline) judge(ctx context.Context, f *flight) {
	grants, err := p.cfg.Grants.Grants(ctx)
	if err != nil {
		// Without the grants more is asked, never less.
		p.cfg.Log.Error("grants not read", "err", err)
	}
	session := f.call.From.Session
	f.decision = policy.Decide(policy.Input{
		Call: f.call, Definition: f.def, Description: f.desc, Settings: p.cfg.Policy(), CallTools: p.callTools(f.call.From), Grants: grants,
		Opened: p.hosts.opened(session), Used: p.hosts.used(session),
		UsedSecrets: p.lent.of(talk(f.call.From)), Now: p.cfg.Now(),
	})
}

// Stand is what calls of a tool come to before their arguments are known. With told the tool says of
// each call which files it uses.
func (p *Pipeline) Stand(ctx context.Context, def toolspec.Definition, told bool) (policy.Stand, error) {
	grants, err := p.cfg.Grants.Grants(ctx)
	if err != nil {
		return policy.Stand{}, err
	}
	return policy.StandOf(def, p.cfg.Policy(), grants, told), nil
}

// Allowed reports whether call would run without a question if it were made now. It runs nothing
// and writes nothing down.
func (p *Pipeline) Allowed(ctx context.Context, call toolspec.Call) bool {
	f := &flight{call: call}
	for _, next := range []stage{p.selectTool, p.reach, p.validate, p.describe} {
		if next(ctx, f) != nil {
			return false
		}
	}
	p.judge(ctx, f)
	return f.decision.Verdict == policy.Allow
}

func (f *flight) refused() *toolspec.Result {
	f.verdict, f.reason, f.status = "refused", f.decision.Reason, event.CallRefused
	r := toolspec.Fail(f.decision.ErrorType, f.decision.Reason, f.decision.Suggestion)
	return &r
}
