package pipeline

import (
	"context"

	"sextant/backend/pipeline/deadline"
	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// UnattendedRuns knows the runs that nobody watches; *unattended.Runs implements it.
type UnattendedRuns interface {
	// Card returns the permission card of a run. It is nil if a person watches the run and answers its questions. ok is
	// false if the run has ended.
	Card(run string) (card *toolspec.Card, ok bool)
	// AwaitReturn waits while a person has taken over the page of a run.
	AwaitReturn(ctx context.Context, run string)
	// Use notes what an allowed call of a run uses. Its error, which a person can read, refuses the call.
	Use(run string, use toolspec.Card) error
	// Park ends a run because of a call that uses more than its card lists, or that no card allows. question says what
	// the call does.
	Park(run, reason, question string, use toolspec.Card)
}

// card returns the permission card for a call, nil if it needs none. The card of a run that has ended lists nothing.
func (p *Pipeline) card(from toolspec.Provenance) *toolspec.Card {
	if from.UnattendedRun == "" {
		return nil
	}
	if card, ok := p.cfg.Unattended.Card(from.UnattendedRun); ok {
		return card
	}
	return &toolspec.Card{}
}

// parkRun ends the run that made a call, if the call is beyond its card.
func (p *Pipeline) parkRun(c *callState) {
	if c.decision.Parks {
		p.cfg.Unattended.Park(c.call.From.UnattendedRun, c.decision.Reason, c.decision.Approval.Question,
			policy.CardUse(p.policyInput(c)))
	}
}

// awaitReturn is a stage: it waits while a person has taken over the page of a run. The time limit of the call that
// contains this one is paused meanwhile.
func (p *Pipeline) awaitReturn(ctx context.Context, c *callState) *toolspec.Result {
	if run := c.call.From.UnattendedRun; run != "" {
		defer deadline.Pause(ctx)()
		p.cfg.Unattended.AwaitReturn(ctx, run)
	}
	return nil
}

// useCard counts a call that may run.
func (p *Pipeline) useCard(c *callState) *toolspec.Result {
	run := c.call.From.UnattendedRun
	if run == "" {
		return nil
	}
	err := p.cfg.Unattended.Use(run, policy.CardUse(p.policyInput(c)))
	if err == nil {
		return nil
	}
	return c.refused(toolspec.Fail(toolspec.PermissionError, err.Error(), "The run ends here."))
}

// CardUse returns what a call of a run would use, as far as it can be described before it runs.
func (p *Pipeline) CardUse(ctx context.Context, call toolspec.Call) toolspec.Card {
	c := p.newCall(call)
	if !p.prepare(ctx, c) {
		return toolspec.Card{Tools: []string{call.Tool}, Acts: 1}
	}
	return policy.CardUse(p.policyInput(c))
}
