package budget

import (
	"fmt"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pricing"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Request describes a sent request with its cost. asked is the length of the question in bytes. Where
// the service reported no usage it is estimated at four bytes per token, except for a request without
// any answer: nobody knows whether it was read. The usage of an answer that broke off is only that of
// its beginning, so its output is estimated too.
func (c Config) Request(sent llm.SentRequest, asked int) event.Request {
	r := event.Request{
		Model: sent.Model, Usage: sent.Usage, DurationMS: sent.Took.Milliseconds(), Failed: sent.Failed,
		Retry: sent.Again,
	}
	if sent.First > 0 {
		r.FirstChunkMS = max(1, sent.First.Milliseconds())
	}
	if r.Usage.Input == 0 && (sent.Whole || sent.Bytes > 0) {
		r.Usage.Input = asked / toolspec.BytesPerToken
		r.Estimated += r.Usage.Input
	}
	least := (sent.Bytes + toolspec.BytesPerToken - 1) / toolspec.BytesPerToken
	if r.Usage.Output == 0 || !sent.Whole && r.Usage.Output < least {
		r.Estimated += least - r.Usage.Output
		r.Usage.Output = least
	}
	r.Cost = c.cost(sent, r.Usage)
	return r
}

// cost is the cost as the service reported it, else by the configured price, else nothing for a local
// model; nil if it is unknown.
func (c Config) cost(sent llm.SentRequest, u chat.Usage) *chat.Money {
	if sent.Cost != nil {
		return sent.Cost
	}
	if c.Price != nil {
		if p, ok := c.Price(sent.Model); ok {
			cost := p.Cost(u)
			return &cost
		}
	}
	if sent.Local {
		return &chat.Money{}
	}
	return nil
}

// Unpriced returns, once in a turn, a note that a budget of money does not count what r cost; "" if
// all budgets do.
func (a *Account) Unpriced(r event.Request) string {
	if a.Warned || r.Usage.Input+r.Usage.Output == 0 {
		return ""
	}
	for _, b := range a.Budgets() {
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
		a.Warned = true
		return fmt.Sprintf(
			"The budget of %s does not count what %s costs: %s. Set a price in settings, or a budget in tokens.",
			pricing.FormatMoney(chat.Money{Nanos: b.Limit, Currency: b.Currency}),
			r.Model,
			why,
		)
	}
	return ""
}

// Round is the event of requests that belong to no answer; what says what they were for.
func Round(what string, payer *event.Payer, requests []event.Request) event.Round {
	round := event.Round{
		Purpose: what, Payer: payer, Model: requests[len(requests)-1].Model, Requests: requests, Failed: true,
	}
	for _, r := range requests {
		round.Usage = round.Usage.Plus(r.Usage)
		round.DurationMS += r.DurationMS
		round.Failed = round.Failed && r.Failed
	}
	return round
}
