package wire

import (
	"encoding/json"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Automation is the answer of POST …/automations/run: the result form of a tool, with what is
// known of the turn.
type Automation struct {
	Success bool `json:"success"`
	// Result fits the wanted format.
	Result     json.RawMessage    `json:"result,omitempty"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	// Last is what the model answered last when that was no result; Wrong is what does not fit in it.
	Last       string   `json:"last,omitempty"`
	Wrong      []string `json:"wrong,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	// Conversation and Turn are where it was done, empty when nothing ran.
	Conversation string      `json:"conversation,omitempty"`
	Turn         string      `json:"turn,omitempty"`
	Status       chat.Status `json:"status"`
	// Repairs is how often an answer was sent back before it fitted.
	Repairs int        `json:"repairs"`
	Rounds  int        `json:"rounds"`
	Calls   int        `json:"calls"`
	Usage   chat.Usage `json:"usage"`
	// Bill is all that it cost; Budget names the budget that ended it.
	Bill   chat.Bill `json:"bill"`
	Budget string    `json:"budget,omitempty"`
}
