package toolspec

import (
	"encoding/json"
	"time"
)

// CreatedTool is a tool that the assistant made: JavaScript that calls other tools.
type CreatedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Body        string          `json:"body"`
	// Version counts from 1 for each name.
	Version int       `json:"version"`
	Created time.Time `json:"created"`
	// Conversation is where it was made, "" for none.
	Conversation string `json:"conversation,omitempty"`
	// Outside are the sources of text from outside in the context in which it was made.
	Outside []string `json:"outside,omitempty"`
	// AwaitsReview is true until a person has reviewed it: it was made in a tainted context, so that text from outside
	// may have written it.
	AwaitsReview bool `json:"asleep,omitempty"`
	// Uses names the tools that its body calls, sorted.
	Uses []string `json:"uses,omitempty"`
}
