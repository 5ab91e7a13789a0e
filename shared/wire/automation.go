package wire

import (
	"encoding/json"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Automation is the response of POST …/automations/run: the result of the automation with facts about its turn.
type Automation struct {
	Success bool `json:"success"`
	// Result is a value in the required format.
	Result     json.RawMessage    `json:"result,omitempty"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	// LastAnswer is the model's last answer if it was not a valid result. FormatErrors says how it differs from the
	// format.
	LastAnswer   string   `json:"last,omitempty"`
	FormatErrors []string `json:"wrong,omitempty"`
	DurationMS   int64    `json:"duration_ms"`
	// Conversation and Turn identify the turn, and are empty if nothing ran.
	Conversation string      `json:"conversation,omitempty"`
	Turn         string      `json:"turn,omitempty"`
	Status       chat.Status `json:"status"`
	// Repairs counts how often an answer was sent back to the model for correction.
	Repairs int        `json:"repairs"`
	Rounds  int        `json:"rounds"`
	Calls   int        `json:"calls"`
	Usage   chat.Usage `json:"usage"`
	// Bill is the cost of the turn. Budget names the budget that ended it, "" for none.
	Bill   chat.Bill `json:"bill"`
	Budget string    `json:"budget,omitempty"`
}
