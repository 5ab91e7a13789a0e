package pipeline

import (
	"context"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

func (p *Pipeline) policy(ctx context.Context, c *callState) *toolspec.Result {
	p.decide(ctx, c)
	if c.decision.Try {
		if stopped := p.try(ctx, c); stopped != nil {
			return stopped
		}
	}
	switch c.decision.Verdict {
	case policy.VerdictRefuse:
		p.parkRun(c)
		return c.refusedByPolicy()
	case policy.VerdictAllow:
		c.allowedByPolicy()
	}
	return nil
}

func (p *Pipeline) decide(ctx context.Context, c *callState) {
	grants, err := p.cfg.Grants.Grants(ctx)
	if err != nil {
		// Without the grants, the policy only asks more often.
		p.cfg.Log.Error("grants not read", "err", err)
	}
	in := p.policyInput(c)
	in.Grants = grants
	c.decision = policy.Decide(in)
}

func (p *Pipeline) policyInput(c *callState) policy.Input {
	session, desc := c.call.From.Session, c.desc
	desc.Trial = c.trial
	if c.call.From.UnattendedRun != "" && len(desc.Hosts) == 0 && c.call.Surface != nil && c.call.Surface.Panel == "" {
		// A card lists sites, so each call on a page counts as one on the site of the page.
		desc.Hosts = []string{policy.HostOf(p.cfg.PageAddress(c.call.Surface.Session))}
	}
	return policy.Input{
		Call: c.call, Definition: c.def, Description: desc, Settings: p.cfg.Policy(),
		PanelTools: p.callTools(c.call.From), Card: p.card(c.call.From),
		OpenedHosts: p.hosts.opened(session), UsedHosts: p.hosts.used(session),
		UsedSecrets: p.secretUses.of(contextKey(c.call.From)), Now: p.cfg.Now(),
	}
}

func (c *callState) allowedByPolicy() {
	c.row.Decision, c.row.Reason = "allowed", c.decision.Reason
	if c.decision.GrantID != "" {
		c.row.Decision = "granted"
	}
}

func (c *callState) refusedByPolicy() *toolspec.Result {
	return c.refused(toolspec.Fail(c.decision.ErrorType, c.decision.Reason, c.decision.Suggestion))
}

// Permission returns the permission for calls of a tool before their arguments are known. describesEffects is true for
// a tool that describes its calls by the files they use.
func (p *Pipeline) Permission(ctx context.Context, def toolspec.Definition,
	describesEffects bool,
) (policy.EffectivePermission, error) {
	grants, err := p.cfg.Grants.Grants(ctx)
	if err != nil {
		return policy.EffectivePermission{}, err
	}
	return policy.ResolvePermission(def, p.cfg.Policy(), grants, describesEffects), nil
}

// IsAllowed reports whether the policy would allow call now without a question. It runs and records nothing, and checks
// neither the executor's Refuse nor secrets.
func (p *Pipeline) IsAllowed(ctx context.Context, call toolspec.Call) bool {
	c := p.newCall(call)
	if !p.prepare(ctx, c) {
		return false
	}
	p.decide(ctx, c)
	return c.decision.Verdict == policy.VerdictAllow
}

// prepare passes the stages before the policy, as far as they neither record nor refuse anything.
func (p *Pipeline) prepare(ctx context.Context, c *callState) bool {
	for _, next := range []stage{p.selectTool, p.reach, p.validate, p.resolveSurface, p.describe} {
		if next(ctx, c) != nil {
			return false
		}
	}
	return true
}
