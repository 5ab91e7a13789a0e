package app

import (
	"sextant/backend/agent/loop"
	"sextant/backend/agent/price"
)

// spend is what the loop asks about costs. Values were checked where they came in.
func (s *System) spend() loop.Spend {
	budget := func(scope string) loop.Budget {
		cost, err := price.Money(s.Settings.Get("cost_" + scope))
		if err != nil {
			s.Log.Error("budget not read", "setting", "cost_"+scope, "error", err)
		}
		return loop.Budget{Tokens: s.Settings.Count("tokens_" + scope), Cost: cost}
	}
	return loop.Spend{
		Ledger: s.Store,
		Budgets: func() loop.Budgets {
			return loop.Budgets{Turn: budget("per_turn"), Conversation: budget("per_conversation")}
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
