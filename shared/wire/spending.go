package wire

import "sextant/shared/chat"

// Spending is the response of GET /api/conversations/{id}/bill: the cost of a conversation and of its latest turn, and
// their budgets.
type Spending struct {
	Conversation chat.Bill `json:"conversation"`
	Turn         chat.Bill `json:"turn"`
	Budgets      []Budget  `json:"budgets"`
}

// Budget is a limit with the amount spent: in billionths of Currency, or in tokens if Currency is "". Spent may exceed
// Limit, because an answer is not cut off at the limit.
type Budget struct {
	// Name is the key of the budget's setting.
	Name     string `json:"name"`
	Limit    int64  `json:"limit"`
	Spent    int64  `json:"spent"`
	Currency string `json:"currency,omitempty"`
}
