package loop

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/dustin/go-humanize"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/price"
	"sextant/backend/calls/deadline"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Spend is what is known of costs and how they are bounded. All fields may be nil.
type Spend struct {
	// Budgets are asked at the start of every turn, Price for each answer.
	Budgets func() Budgets
	// Ledger knows what was spent before.
	Ledger Ledger
	Price  func(model string) (price.Price, bool)
}

// Ledger keeps what conversations came to, in all their branches.
type Ledger interface {
	// Spent is what a conversation came to, and what of that stood when its budget was last allowed
	// once more.
	Spent(ctx context.Context, conversation string) (all, before chat.Bill, err error)
	// LastTurn is what its newest turn came to.
	LastTurn(ctx context.Context, conversation string) (chat.Bill, error)
}

// Budget bounds what is spent; a zero field bounds nothing.
type Budget struct {
	Tokens int
	Cost   chat.Money
}

// Budgets are those of the settings.
type Budgets struct{ Turn, Conversation Budget }

// Names of the budgets, which are those of their settings; ofAsk is one that came with the question.
const (
	ofTurn         = "per_turn"
	ofConversation = "per_conversation"
	ofAsk          = "of_request"
)

// purse is what a turn spends from. A turn that begins in a call of another one spends from that
// one's as well, at the same time as others do.
type purse struct {
	conversation, turnID string
	above                *purse
	budgets              Budgets
	own                  Budget

	mu sync.Mutex
	// earlier is what the conversation spent before the turn, since its budget was last allowed.
	earlier, turn chat.Bill
	// told is what services counted themselves.
	told chat.Usage
	// untold are requests of this turn that stand in no event yet; only its own goroutine has them.
	untold []event.Request
	warned bool
}

// purseKey is where the calls of a turn carry its purse.
type purseKey struct{}

// openPurse reads what was spent, and gives the event by which the conversation's budget begins anew.
func (t *turn) openPurse(ctx context.Context) ([]event.Event, error) {
	with := t.loop.cfg.Spend
	t.purse = &purse{conversation: t.ask.Conversation, turnID: t.id, own: t.ask.Budget}
	if p, ok := ctx.Value(purseKey{}).(*purse); ok && p.conversation != t.ask.Conversation {
		t.purse.above = p // and is not the turn before this one, whose end this one waited for
	}
	t.ctx = context.WithValue(t.ctx, purseKey{}, t.purse)
	if with.Budgets != nil {
		t.purse.budgets = with.Budgets()
	}
	if with.Ledger == nil {
		return nil, nil
	}
	all, before, err := with.Ledger.Spent(ctx, t.ask.Conversation)
	if err != nil {
		return nil, fmt.Errorf("reading what the conversation cost: %w", err)
	}
	if t.ask.Raise {
		return []event.Event{t.event(event.BudgetRaised, all)}, nil
	}
	t.purse.earlier = all.Since(before)
	return nil, nil
}

// take gives the requests that stand in no event yet.
func (p *purse) take() []event.Request {
	untold := p.untold
	p.untold = nil
	return untold
}

// add counts a request here and above.
func (p *purse) add(b chat.Bill, told chat.Usage) {
	for ; p != nil; p = p.above {
		p.mu.Lock()
		p.turn, p.told = p.turn.Plus(b), p.told.Plus(told)
		p.mu.Unlock()
	}
}

// spent is what the turn came to, and what of that services counted themselves.
func (p *purse) spent() (chat.Bill, chat.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turn, p.told
}

// limits are the budgets that bound the turn, the narrowest first.
func (p *purse) limits() []wire.Budget {
	var all []wire.Budget
	for ; p != nil; p = p.above {
		turn, _ := p.spent()
		all = append(all, limits(p.own, p.budgets, turn, p.earlier.Plus(turn))...)
	}
	return all
}

// payer is whose the costs are at last; nil for the turn itself.
func (p *purse) payer() *event.Payer {
	root := p
	for root.above != nil {
		root = root.above
	}
	if root == p {
		return nil
	}
	return &event.Payer{Conversation: root.conversation, Turn: root.turnID}
}

// limits are the budgets as they stand, the narrowest scope first.
func limits(own Budget, of Budgets, turn, conversation chat.Bill) []wire.Budget {
	var all []wire.Budget
	for _, scope := range []struct {
		name  string
		b     Budget
		spent chat.Bill
	}{{ofAsk, own, turn}, {ofTurn, of.Turn, turn}, {ofConversation, of.Conversation, conversation}} {
		if scope.b.Tokens > 0 {
			all = append(all, wire.Budget{Name: "tokens_" + scope.name, Limit: int64(scope.b.Tokens), Spent: int64(scope.spent.Tokens())})
		}
		if c := scope.b.Cost; c.Nanos > 0 {
			all = append(all, wire.Budget{Name: "cost_" + scope.name, Limit: c.Nanos, Spent: scope.spent.In(c.Currency), Currency: c.Currency})
		}
	}
	return all
}

// afford is the end of the turn when a budget is reached, nil while a question may be asked. Asking
// the pilot costs nothing.
func (t *turn) afford() *ending {
	if t.isPilot {
		return nil
	}
	for _, b := range t.purse.limits() {
		if b.Spent >= b.Limit {
			return reached(b)
		}
	}
	return nil
}

// reached says that a budget is reached and what to do.
func reached(b wire.Budget) *ending {
	kind, spent, limit := "tokens", humanize.Comma(b.Spent)+" tokens", humanize.Comma(b.Limit)
	if b.Currency != "" {
		kind, spent = "cost", price.Show(chat.Money{Nanos: b.Spent, Currency: b.Currency})
		limit = price.Show(chat.Money{Nanos: b.Limit, Currency: b.Currency})
	}
	whose, do := "this turn", "Continue to allow the same again, or raise "+b.Name+" in settings."
	switch b.Name {
	case kind + "_" + ofConversation:
		whose = "this conversation"
	case kind + "_" + ofAsk:
		whose, do = "this request", "Ask again with a larger budget, which the settings still bound."
	}
	return &ending{
		status:     chat.StatusLimit,
		message:    fmt.Sprintf("Stopped: %s spent %s of its budget of %s. The work so far is kept.", whose, spent, limit),
		suggestion: do, budget: b.Name,
	}
}

// spentError is a question that was not asked because a budget is reached.
type spentError struct{ end ending }

func (e *spentError) Error() string { return e.end.message }

// meter is the turn's model. Whatever is asked of it, by whom in the turn, is paid for and counted.
type meter struct {
	llm.Model
	turn *turn
}

// Stream implements llm.Model.
func (m meter) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if end := m.turn.afford(); end != nil {
		return llm.Response{}, &spentError{*end}
	}
	// The time of a call that waits for a subagent is that of the calls it makes.
	resume := deadline.Pause(m.turn.ctx)
	res, err := m.Model.Stream(ctx, req, onDelta)
	resume()
	made := res.Made
	if len(made) == 0 {
		n := len(res.Text) + len(res.Thought)
		for _, c := range res.Calls {
			n += len(c.Name) + len(c.Args)
		}
		made = []llm.Made{{
			Model: cmp.Or(res.By, m.turn.ask.Model), Usage: res.Usage, Cost: res.Cost, Bytes: n,
			Failed: err != nil && ctx.Err() == nil, Whole: err == nil,
		}}
	}
	asked := lengthOf(req)
	for _, one := range made {
		m.turn.pay(one, asked)
	}
	return res, err
}

// Place implements llm.Placed; "" and false say what a model does that does not.
func (m meter) Place() (base string, native bool) {
	if at, ok := m.Model.(llm.Placed); ok {
		return at.Place()
	}
	return "", false
}

// Backed implements llm.Backed.
func (m meter) Backed() bool {
	second, ok := m.Model.(llm.Backed)
	return ok && second.Backed()
}

// Window implements llm.Sized.
func (m meter) Window(ctx context.Context) (tokens int, loaded bool) {
	if s, ok := m.Model.(llm.Sized); ok {
		return s.Window(ctx)
	}
	return 0, false
}

// lengthOf is a question in bytes.
func lengthOf(req llm.Request) int {
	n := len(req.System)
	for _, f := range req.Tools {
		n += len(f.Function.Name) + len(f.Function.Description) + len(f.Function.Parameters)
	}
	for _, m := range req.Messages {
		n += weight(m)
	}
	return n
}

// pay counts one request for a question of that many bytes. Where the service gave no count, four
// bytes are a token, but for a request of which nothing came: nobody knows whether it was read. Of an
// answer that broke off the count is that of its beginning.
func (t *turn) pay(m llm.Made, asked int) {
	r := event.Request{Model: m.Model, Usage: m.Usage, DurationMS: m.Took.Milliseconds(), Failed: m.Failed, Again: m.Again}
	if m.First > 0 {
		r.FirstMS = max(1, m.First.Milliseconds())
	}
	if r.Usage.Input == 0 && (m.Whole || m.Bytes > 0) {
		r.Usage.Input = asked / toolspec.BytesPerToken
		r.Estimated += r.Usage.Input
	}
	if least := (m.Bytes + toolspec.BytesPerToken - 1) / toolspec.BytesPerToken; r.Usage.Output == 0 || !m.Whole && r.Usage.Output < least {
		r.Estimated += least - r.Usage.Output
		r.Usage.Output = least
	}
	r.Cost = t.costOf(m, r.Usage)
	t.purse.untold = append(t.purse.untold, r)
	t.purse.add(r.Bill(), m.Usage)
	t.warn(r)
}

// costOf is what a request cost: as the service says, by the price that is set, or nothing on this
// machine; nil when that is not known.
func (t *turn) costOf(m llm.Made, u chat.Usage) *chat.Money {
	if m.Cost != nil {
		return m.Cost
	}
	if of := t.loop.cfg.Spend.Price; of != nil {
		if p, ok := of(m.Model); ok {
			cost := p.Cost(u)
			return &cost
		}
	}
	if m.Local {
		return &chat.Money{}
	}
	return nil
}

// warn tells once in a turn that a budget of money does not see what a request cost.
func (t *turn) warn(r event.Request) {
	if t.purse.warned || r.Usage.Input+r.Usage.Output == 0 {
		return
	}
	for _, b := range t.purse.limits() {
		why := ""
		switch {
		case b.Currency == "":
			continue
		case r.Cost == nil:
			why = "no price is set for it"
		case r.Cost.Nanos > 0 && r.Cost.Currency != b.Currency:
			why = "its price is in " + r.Cost.Currency
		default:
			continue
		}
		t.purse.warned = true
		t.tell("", llm.Delta{Note: fmt.Sprintf("The budget of %s does not count what %s costs: %s. Set a price in settings, or a budget of tokens.",
			price.Show(chat.Money{Nanos: b.Limit, Currency: b.Currency}), r.Model, why)})
		return
	}
}

// rest gives the event of requests that stand in none yet.
func (t *turn) rest(what string) []event.Event {
	requests := t.purse.take()
	if len(requests) == 0 {
		return nil
	}
	round := event.Round{For: what, Payer: t.purse.payer(), Model: requests[len(requests)-1].Model, Requests: requests, Failed: true}
	for _, r := range requests {
		round.Usage = round.Usage.Plus(r.Usage)
		round.DurationMS += r.DurationMS
		round.Failed = round.Failed && r.Failed
	}
	return []event.Event{t.event(event.RoundEnded, round)}
}

// aside records what a question beside the talk cost.
func (t *turn) aside(what string) error {
	if events := t.rest(what); len(events) > 0 {
		return t.record(events...)
	}
	return nil
}

// Bill is what a conversation came to and how its budgets stand. Safe for concurrent use.
func (l *Loop) Bill(ctx context.Context, conversation string) (wire.Spending, error) {
	bill := wire.Spending{Conversation: chat.Bill{}.Plus(chat.Bill{}), Turn: chat.Bill{}.Plus(chat.Bill{}), Budgets: []wire.Budget{}}
	if l.cfg.Spend.Ledger == nil {
		return bill, nil
	}
	all, before, err := l.cfg.Spend.Ledger.Spent(ctx, conversation)
	if err != nil {
		return bill, fmt.Errorf("reading what the conversation cost: %w", err)
	}
	if bill.Turn, err = l.cfg.Spend.Ledger.LastTurn(ctx, conversation); err != nil {
		return bill, fmt.Errorf("reading what the last turn cost: %w", err)
	}
	bill.Conversation = all
	if l.cfg.Spend.Budgets != nil {
		bill.Budgets = append(bill.Budgets, limits(Budget{}, l.cfg.Spend.Budgets(), bill.Turn, all.Since(before))...)
	}
	return bill, nil
}
