package app

import (
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/price"
)

// spendingKeys are the settings that say what models cost and may cost.
func spendingKeys() []Key {
	return []Key{
		{Name: "prices", Check: checkPrices, Default: "", Window: true, Doc: "What models cost, as provider/model=input/cached/output per million tokens, separated by commas, e.g. openai/gpt-5*=1.25/0.125/10 USD, anthropic/*=3/0.3/15/3.75. An asterisk stands for any text, a fourth price is for what is written to the service's cache, USD is meant without a currency. Models on this machine cost nothing, OpenRouter tells itself; any other without a price shows its tokens only."},
		{Name: "tokens_per_turn", Check: checkTokens, Default: "0", Window: true, Doc: "Tokens that models may read and write in one turn; 0 is no budget. No answer is cut: the turn ends before the next question."},
		{Name: "tokens_per_conversation", Check: checkTokens, Default: "0", Window: true, Doc: "Tokens that models may read and write in one conversation, all its branches together; 0 is no budget. Continue allows the same again."},
		{Name: "cost_per_turn", Check: checkMoney, Default: "0", Window: true, Doc: "What one turn may cost, e.g. 0.50 or 2 EUR; 0 is no budget. What has no price is not counted."},
		{Name: "cost_per_conversation", Check: checkMoney, Default: "0", Window: true, Doc: "What one conversation may cost, all its branches together; 0 is no budget. Continue allows the same again."},
	}
}

// spend is what the loop asks about costs. Values were checked where they came in.
func (s *System) spend() budget.Config {
	limit := func(scope string) budget.Limit {
		cost, err := price.Money(s.Settings.Get("cost_" + scope))
		if err != nil {
			s.Log.Error("budget not read", "setting", "cost_"+scope, "error", err)
		}
		return budget.Limit{Tokens: s.Settings.Count("tokens_" + scope), Cost: cost}
	}
	return budget.Config{
		Ledger: s.Store,
		Budgets: func() budget.Limits {
			return budget.Limits{Turn: limit("per_turn"), Conversation: limit("per_conversation")}
		},
		Price: func(model string) (price.Price, bool) {
			list, err := price.Parse(s.Settings.Get("prices"))
			if err != nil {
				s.Log.Error("prices not read", "error", err)
			}
			return list.Of(model)
		},
	}
}
