package wire

import "sextant/shared/chat"

// Spending is GET /api/conversations/{id}/bill: what a conversation and its newest turn came to, and how
// the budgets stand that bound them.
type Spending struct {
	Conversation chat.Bill `json:"conversation"`
	Turn         chat.Bill `json:"turn"`
	Budgets      []Budget  `json:"budgets"`
}

// Budget is one budget and what was spent of it: tokens, or billionths of Currency where that is set.
// What was spent may be more than the limit: an answer is never cut for it.
type Budget struct {
	// Name is that of its setting.
	Name     string `json:"name"`
	Limit    int64  `json:"limit"`
	Spent    int64  `json:"spent"`
	Currency string `json:"currency,omitempty"`
}
