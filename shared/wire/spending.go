package wire

import "sextant/shared/chat"

// Spending is GET /api/conversations/{id}/bill: what a conversation and its newest turn have cost, and the
// budgets that bound them.
type Spending struct {
	Conversation chat.Bill `json:"conversation"`
	Turn         chat.Bill `json:"turn"`
	Budgets      []Budget  `json:"budgets"`
}

// Budget is one budget with what was spent of it: in tokens, or in billionths of Currency where that is set.
// More than the limit may be spent, because an answer is not cut off for it.
type Budget struct {
	// Name is that of its setting.
	Name     string `json:"name"`
	Limit    int64  `json:"limit"`
	Spent    int64  `json:"spent"`
	Currency string `json:"currency,omitempty"`
}
