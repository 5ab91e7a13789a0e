package toolspec

import (
	"encoding/json"
	"time"
)

// GrantScope says how long a Grant holds.
type GrantScope string

// The scopes that are kept. "Once" is never kept: it ends with its call.
const (
	GrantConversation GrantScope = "conversation"
	GrantAlways       GrantScope = "always"
)

// Grant is a standing permission a person gave in answer to a question. It covers a call
// only when every field that is set fits; an empty field does not restrict, but for
// Outside, where empty means "only while no outside text is in the context".
type Grant struct {
	ID    string     `json:"id"`
	Scope GrantScope `json:"scope"`
	Tool  string     `json:"tool"`
	Owner string     `json:"owner,omitempty"`
	// Party names the program it was given to ("mcp:editor"); "" is the person's own doors.
	Party string `json:"party,omitempty"`
	// Conversation and Folder bind it to one conversation and one workspace folder.
	Conversation string `json:"conversation,omitempty"`
	Folder       string `json:"folder,omitempty"`
	// Hosts are the only hosts the call may talk to, exactly as written, no subdomains.
	Hosts []string `json:"hosts,omitempty"`
	// Args, when set, must equal the call's canonical arguments.
	Args json.RawMessage `json:"args,omitempty"`
	// Outside are the sources of outside text that stood in the context when it was given.
	Outside []string `json:"outside,omitempty"`
	// Text is the scope as it was written out to the person.
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}
