package wire

import (
	"encoding/json"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Automation is the answer of POST …/automations/run: a tool's result with facts about the turn.
type Automation struct {
	Success bool `json:"success"`
	// Result matches the required format.
	Result     json.RawMessage    `json:"result,omitempty"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	// Last is the model's last answer when it was no result, Wrong what does not match the format.
	Last       string   `json:"last,omitempty"`
	Wrong      []string `json:"wrong,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	// Conversation and Turn are where it ran, empty when nothing did.
	Conversation string      `json:"conversation,omitempty"`
	Turn         string      `json:"turn,omitempty"`
	Status       chat.Status `json:"status"`
	// Repairs is how often an answer was sent back to be corrected.
	Repairs int        `json:"repairs"`
	Rounds  int        `json:"rounds"`
	Calls   int        `json:"calls"`
	Usage   chat.Usage `json:"usage"`
	// Bill is what it has cost. Budget names the budget that ended it.
	Bill   chat.Bill `json:"bill"`
	Budget string    `json:"budget,omitempty"`
}
