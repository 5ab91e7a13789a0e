package app

import (
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/pricing"
)

// spend is what the loop asks about costs. Values were checked where they came in.
func (s *System) spend() budget.Config {
	limit := func(scope string) budget.Limit {
		cost, err := pricing.Money(s.Settings.Get("cost_" + scope))
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
		Price: func(model string) (pricing.Price, bool) {
			list, err := pricing.Parse(s.Settings.Get("prices"))
			if err != nil {
				s.Log.Error("prices not read", "error", err)
			}
			return list.Of(model)
		},
	}
}
