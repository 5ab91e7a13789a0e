// Package budget counts what turns spend, in tokens and money, and compares it with the configured limits.
// It asks no model and records nothing: the loop does.
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

// Config says how costs are known and bounded. All fields may be nil.
type Config struct {
	// Budgets is called at the start of every turn, Price for each answer.
	Budgets func() Limits
	// Ledger knows earlier costs.
	Ledger Ledger
	Price  func(model string) (pricing.Price, bool)
}

// Ledger knows the costs of conversations, over all their branches.
type Ledger interface {
	// Spent is the cost of a conversation in total, and at the time its budget was last reset.
	Spent(ctx context.Context, conversation string) (all, before chat.Bill, err error)
	// LastTurn is the cost of its newest turn.
	LastTurn(ctx context.Context, conversation string) (chat.Bill, error)
}

// Limit bounds what is spent; a zero field bounds nothing.
type Limit struct {
	Tokens int
	Cost   chat.Money
}

// Limits are the configured budgets.
type Limits struct{ Turn, Conversation Limit }

// Suffixes of the names of budgets and their settings; ofRequest came with the question.
const (
	perTurn         = "per_turn"
	perConversation = "per_conversation"
	ofRequest       = "of_request"
)

// Account is what a turn spends from. A turn that runs inside a call of another one also spends from that
// one's account, concurrently with others.
type Account struct {
	Conversation, Turn string
	Parent             *Account
	Limits             Limits
	Own                Limit

	mu sync.Mutex
	// Earlier is what the conversation spent before the turn, since its budget was last reset.
	Earlier, turnBill chat.Bill
	// reported is the usage that services counted themselves.
	reported chat.Usage
	// Unreported are requests of this turn that are in no event yet. Only its own goroutine uses it.
	Unreported []event.Request
	Warned     bool
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

// TakeUnreported returns the requests that are in no event yet.
func (a *Account) TakeUnreported() []event.Request {
	requests := a.Unreported
	a.Unreported = nil
	return requests
}

// Add counts a request here and in all parents. reported is the usage the service counted itself.
func (a *Account) Add(r event.Request, reported chat.Usage) {
	a.Unreported = append(a.Unreported, r)
	b := r.Bill()
	for ; a != nil; a = a.Parent {
		a.mu.Lock()
		a.turnBill, a.reported = a.turnBill.Plus(b), a.reported.Plus(reported)
		a.mu.Unlock()
	}
}

// Spent is the cost of the turn, and the usage that services counted themselves.
func (a *Account) Spent() (chat.Bill, chat.Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turnBill, a.reported
}

// Budgets are the budgets that bound the turn, the narrowest first.
func (a *Account) Budgets() []wire.Budget {
	var all []wire.Budget
	for ; a != nil; a = a.Parent {
		turn, _ := a.Spent()
		all = append(all, Evaluate(a.Own, a.Limits, turn, a.Earlier.Plus(turn))...)
	}
	return all
}

// Payer is the root turn that pays, nil for the turn itself.
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

// Evaluate returns the state of the budgets, the narrowest scope first.
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

// Describe says that a budget is used up and what to do.
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
