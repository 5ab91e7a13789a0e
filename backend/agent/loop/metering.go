package loop

import (
	"cmp"
	"context"
	"fmt"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/prompt"
	"sextant/backend/pipeline/deadline"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// openAccount reads earlier costs, and returns the event that resets the conversation's budget if the request
// asks for that.
func (t *turn) openAccount(ctx context.Context) ([]event.Event, error) {
	with := t.loop.cfg.Budget
	t.account = &budget.Account{Conversation: t.request.Conversation, Turn: t.id, RequestLimit: t.request.Budget}
	if parent := budget.FromContext(ctx); parent != nil && parent.Conversation != t.request.Conversation {
		t.account.Parent = parent // not the previous turn of this conversation
	}
	t.ctx = budget.WithAccount(t.ctx, t.account)
	if with.Budgets != nil {
		t.account.Limits = with.Budgets()
	}
	if with.History == nil {
		return nil, nil
	}
	all, before, err := with.History.ConversationCost(ctx, t.request.Conversation)
	if err != nil {
		return nil, fmt.Errorf("reading what the conversation cost: %w", err)
	}
	if t.request.RaiseBudget {
		return []event.Event{t.event(event.BudgetRaised, all)}, nil
	}
	t.account.Earlier = all.Minus(before)
	return nil, nil
}

// budgetEnd returns an ending if a budget is used up, nil while another request is allowed. The pilot costs
// nothing.
func (t *turn) budgetEnd() *ending {
	if t.isPilot {
		return nil
	}
	for _, b := range t.account.Budgets() {
		if b.Spent >= b.Limit {
			message, suggestion := budget.Describe(b)
			return &ending{status: chat.StatusLimit, message: message, suggestion: suggestion, budget: b.Name}
		}
	}
	return nil
}

type budgetError struct{ end ending }

func (e *budgetError) Error() string { return e.end.message }

type meteredModel struct {
	llm.Model
	turn *turn
}

// Stream implements llm.Model.
func (m meteredModel) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if end := m.turn.budgetEnd(); end != nil {
		return llm.Response{}, &budgetError{*end}
	}
	// While a call waits for a subagent, only the time of the subagent's calls counts.
	resume := deadline.Pause(m.turn.ctx)
	res, err := m.Model.Stream(ctx, req, onDelta)
	resume()
	made := res.Requests
	if len(made) == 0 {
		n := len(res.Text) + len(res.Reasoning)
		for _, c := range res.Calls {
			n += len(c.Name) + len(c.Args)
		}
		made = []llm.SentRequest{{
			Model: cmp.Or(res.AnsweredBy, m.turn.request.Model), Usage: res.Usage, Cost: res.Cost, Bytes: n,
			Failed: err != nil && ctx.Err() == nil, Complete: err == nil,
		}}
	}
	requestBytes := prompt.RequestSize(req)
	for _, one := range made {
		m.turn.pay(one, requestBytes)
	}
	return res, err
}

// Endpoint implements llm.EndpointReporter.
func (m meteredModel) Endpoint() (base string, native bool) {
	if at, ok := m.Model.(llm.EndpointReporter); ok {
		return at.Endpoint()
	}
	return "", false
}

// HasFallback implements llm.FallbackReporter.
func (m meteredModel) HasFallback() bool {
	second, ok := m.Model.(llm.FallbackReporter)
	return ok && second.HasFallback()
}

// ContextWindow implements llm.ContextWindowReporter.
func (m meteredModel) ContextWindow(ctx context.Context) (tokens int, loaded bool) {
	if s, ok := m.Model.(llm.ContextWindowReporter); ok {
		return s.ContextWindow(ctx)
	}
	return 0, false
}

func (t *turn) pay(sent llm.SentRequest, requestBytes int) {
	r := t.loop.cfg.Budget.RequestEvent(sent, requestBytes)
	t.account.Add(r, sent.Usage)
	if note := t.account.UnpricedNote(r); note != "" {
		t.publishNote("", note)
	}
}

func (t *turn) unreportedRound(what string) []event.Event {
	requests := t.account.TakeUnreported()
	if len(requests) == 0 {
		return nil
	}
	return []event.Event{t.event(event.RoundEnded, budget.RoundEvent(what, t.account.Payer(), requests))}
}

func (t *turn) recordSideCost(what string) error {
	if events := t.unreportedRound(what); len(events) > 0 {
		return t.record(events...)
	}
	return nil
}

// Spending returns what a conversation has cost and the state of its budgets. Safe for concurrent use.
func (l *Loop) Spending(ctx context.Context, conversation string) (wire.Spending, error) {
	bill := wire.Spending{
		Conversation: chat.Bill{}.Plus(chat.Bill{}),
		Turn:         chat.Bill{}.Plus(chat.Bill{}),
		Budgets:      []wire.Budget{},
	}
	if l.cfg.Budget.History == nil {
		return bill, nil
	}
	all, before, err := l.cfg.Budget.History.ConversationCost(ctx, conversation)
	if err != nil {
		return bill, fmt.Errorf("reading what the conversation cost: %w", err)
	}
	if bill.Turn, err = l.cfg.Budget.History.LastTurnCost(ctx, conversation); err != nil {
		return bill, fmt.Errorf("reading what the last turn cost: %w", err)
	}
	bill.Conversation = all
	if l.cfg.Budget.Budgets != nil {
		bill.Budgets = append(
			bill.Budgets,
			budget.Evaluate(budget.Limit{}, l.cfg.Budget.Budgets(), bill.Turn, all.Minus(before))...)
	}
	return bill, nil
}
