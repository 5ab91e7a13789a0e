package toolspec

import (
	"encoding/json"
	"time"
)

// CreatedTool is a tool that was made of others: a body of JavaScript that awaits them.
type CreatedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Body        string          `json:"body"`
	// Version counts from 1; making a tool of the same name again gives the next.
	Version int       `json:"version"`
	Created time.Time `json:"created"`
	// Conversation it was made in, "" for none.
	Conversation string `json:"conversation,omitempty"`
	// Outside are the sources of outside text that stood in the context it was made in.
	Outside []string `json:"outside,omitempty"`
	// Asleep is true until a person has read it: it was made while outside text stood in the
	// context, which could have written it.
	Asleep bool `json:"asleep,omitempty"`
	// Uses names the tools its body calls by name, sorted.
	Uses []string `json:"uses,omitempty"`
}
