package budget

import (
	"fmt"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pricing"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// RequestEvent describes a sent request with its cost. requestBytes is the length of the request. Usage that the
// service did not report is estimated at four bytes per token.
func (c Config) RequestEvent(sent llm.SentRequest, requestBytes int) event.Request {
	r := event.Request{
		Model: sent.Model, Usage: sent.Usage, DurationMS: sent.Duration.Milliseconds(), Failed: sent.Failed,
		Retry: sent.Retry,
	}
	if sent.FirstPieceAfter > 0 {
		r.FirstChunkMS = max(1, sent.FirstPieceAfter.Milliseconds())
	}
	if r.Usage.Input == 0 && (sent.Complete || sent.Bytes > 0) {
		r.Usage.Input = requestBytes / toolspec.BytesPerToken
		r.Estimated += r.Usage.Input
	}
	least := (sent.Bytes + toolspec.BytesPerToken - 1) / toolspec.BytesPerToken
	if r.Usage.Output == 0 || !sent.Complete && r.Usage.Output < least {
		r.Estimated += least - r.Usage.Output
		r.Usage.Output = least
	}
	r.Cost = c.cost(sent, r.Usage)
	return r
}

// cost returns the cost as the service reported it, else by the configured price, else zero for a local model;
// nil if it is unknown.
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

// UnpricedNote returns a note, once per turn, that a money budget does not count the cost of r; else "".
func (a *Account) UnpricedNote(r event.Request) string {
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

// RoundEvent returns an event for requests, at least one, that belong to no answer. purpose says what they were for.
func RoundEvent(purpose string, payer *event.Payer, requests []event.Request) event.Round {
	round := event.Round{
		Purpose: purpose, Payer: payer, Model: requests[len(requests)-1].Model, Requests: requests, Failed: true,
	}
	for _, r := range requests {
		round.Usage = round.Usage.Plus(r.Usage)
		round.DurationMS += r.DurationMS
		round.Failed = round.Failed && r.Failed
	}
	return round
}
