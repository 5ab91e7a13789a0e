// Package budget counts what turns spend, in tokens and money, and compares it with the configured limits. It
// asks no model and records nothing; the loop does.
package budget

import (
	"context"
	"fmt"
	"sync"

	"github.com/dustin/go-humanize"

	"sextant/backend/agent/pricing"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// Config configures prices and limits. All fields may be nil.
type Config struct {
	// Budgets returns the configured limits. Price returns the price of a model.
	Budgets func() Limits
	// History returns earlier costs.
	History CostHistory
	Price   func(model string) (pricing.Price, bool)
}

// CostHistory returns the costs of conversations, over all their branches.
type CostHistory interface {
	// ConversationCost returns the cost of a conversation and its subagents: in total, and at the time its budget was
	// last reset.
	ConversationCost(ctx context.Context, conversation string) (all, before chat.Bill, err error)
	// LastTurnCost returns the cost of the conversation's newest turn and its subagents.
	LastTurnCost(ctx context.Context, conversation string) (chat.Bill, error)
}

// Limit limits spending; a zero field sets no limit.
type Limit struct {
	Tokens int
	Cost   chat.Money
}

// Limits are the configured budgets for a turn and for a conversation.
type Limits struct{ Turn, Conversation Limit }

const (
	perTurn         = "per_turn"
	perConversation = "per_conversation"
	ofRequest       = "of_request"
)

// Account counts the spending of a turn. A turn that runs inside a call of another turn also counts in its
// parent's account, concurrently with others.
type Account struct {
	Conversation, Turn string
	Parent             *Account
	Limits             Limits
	RequestLimit       Limit

	mu sync.Mutex
	// Earlier is the cost of the conversation before the turn, since its budget was last reset.
	Earlier, turnBill chat.Bill
	reported          chat.Usage
	// UnreportedRequests are the requests of this turn that no event contains yet. Only the turn's goroutine uses it.
	UnreportedRequests []event.Request
	Warned             bool
}

type contextKey struct{}

// WithAccount returns a context that carries a to the calls of its turn.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// FromContext returns the Account of the turn that ctx belongs to, nil outside of turns.
func FromContext(ctx context.Context) *Account {
	a, _ := ctx.Value(contextKey{}).(*Account)
	return a
}

// TakeUnreported returns the requests that no event contains yet, and forgets them.
func (a *Account) TakeUnreported() []event.Request {
	requests := a.UnreportedRequests
	a.UnreportedRequests = nil
	return requests
}

// Add counts a request in a and all its parents. reported is the usage that the service counted.
func (a *Account) Add(r event.Request, reported chat.Usage) {
	a.UnreportedRequests = append(a.UnreportedRequests, r)
	b := r.Bill()
	for ; a != nil; a = a.Parent {
		a.mu.Lock()
		a.turnBill, a.reported = a.turnBill.Plus(b), a.reported.Plus(reported)
		a.mu.Unlock()
	}
}

// Spent returns the cost of the turn, and the usage that services counted.
func (a *Account) Spent() (chat.Bill, chat.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turnBill, a.reported
}

// Budgets returns the state of the budgets that limit the turn, the narrowest first.
func (a *Account) Budgets() []wire.Budget {
	var all []wire.Budget
	for ; a != nil; a = a.Parent {
		turn, _ := a.Spent()
		all = append(all, Evaluate(a.RequestLimit, a.Limits, turn, a.Earlier.Plus(turn))...)
	}
	return all
}

// Payer returns the topmost parent's turn, which pays for a; nil if a has no parent.
func (a *Account) Payer() *event.Payer {
	root := a
	for root.Parent != nil {
		root = root.Parent
	}
	if root == a {
		return nil
	}
	return &event.Payer{Conversation: root.Conversation, Turn: root.Turn}
}

// Evaluate returns the state of each budget that is set, the narrowest scope first. turn and conversation are what was
// spent; own limits this turn.
func Evaluate(own Limit, of Limits, turn, conversation chat.Bill) []wire.Budget {
	var all []wire.Budget
	for _, scope := range []struct {
		name  string
		b     Limit
		spent chat.Bill
	}{{ofRequest, own, turn}, {perTurn, of.Turn, turn}, {perConversation, of.Conversation, conversation}} {
		if scope.b.Tokens > 0 {
			all = append(
				all,
				wire.Budget{
					Name:  "tokens_" + scope.name,
					Limit: int64(scope.b.Tokens),
					Spent: int64(scope.spent.Tokens()),
				},
			)
		}
		if c := scope.b.Cost; c.Nanos > 0 {
			all = append(
				all,
				wire.Budget{
					Name:     "cost_" + scope.name,
					Limit:    c.Nanos,
					Spent:    scope.spent.CostIn(c.Currency),
					Currency: c.Currency,
				},
			)
		}
	}
	return all
}

// Describe returns a message that the budget b is used up, and a suggestion.
func Describe(b wire.Budget) (message, suggestion string) {
	kind, spent, limit := "tokens", humanize.Comma(b.Spent)+" tokens", humanize.Comma(b.Limit)
	if b.Currency != "" {
		kind, spent = "cost", pricing.FormatMoney(chat.Money{Nanos: b.Spent, Currency: b.Currency})
		limit = pricing.FormatMoney(chat.Money{Nanos: b.Limit, Currency: b.Currency})
	}
	spender, do := "this turn", "Continue to allow the same again, or raise "+b.Name+" in settings."
	switch b.Name {
	case kind + "_" + perConversation:
		spender = "this conversation"
	case kind + "_" + ofRequest:
		spender, do = "this request", "Ask again with a larger budget, which the settings still bound."
	}
	message = fmt.Sprintf("Stopped: %s spent %s of its budget of %s. The work so far is kept.", spender, spent, limit)
	return message, do
}
