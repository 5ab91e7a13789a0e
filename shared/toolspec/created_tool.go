package toolspec

import (
	"encoding/json"
	"time"
)

// CreatedTool is a tool that the assistant created. Its body is JavaScript that calls other tools.
type CreatedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Body        string          `json:"body"`
	// Version counts from 1 for each name.
	Version int       `json:"version"`
	Created time.Time `json:"created"`
	// Conversation is the conversation in which the tool was created, "" for none.
	Conversation string `json:"conversation,omitempty"`
	// Outside lists the sources of outside text in the context in which the tool was created.
	Outside []string `json:"outside,omitempty"`
	// AwaitsReview is true until a person has reviewed a tool that was created in a tainted context, because outside
	// text may have caused it.
	AwaitsReview bool `json:"asleep,omitempty"`
	// Uses contains the names of the tools that the body calls, sorted.
	Uses []string `json:"uses,omitempty"`
}
