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
// only when all of it fits; what an empty field means stands with the field.
type Grant struct {
	ID    string     `json:"id"`
	Scope GrantScope `json:"scope"`
	Tool  string     `json:"tool"`
	Owner string     `json:"owner,omitempty"`
	// Party names the program it was given to ("mcp:editor"); "" is the person's own doors.
	Party string `json:"party,omitempty"`
	// Conversation and Folder bind it to one conversation and one workspace folder; empty
	// ones do not restrict.
	Conversation string `json:"conversation,omitempty"`
	Folder       string `json:"folder,omitempty"`
	// Hosts are the only hosts the call may talk to, exactly as written, no
	// subdomains; empty covers only calls that name no host.
	Hosts []string `json:"hosts,omitempty"`
	// Target must equal what the call acts on (Description.Target); empty covers any.
	Target string `json:"target,omitempty"`
	// Args must equal the call's canonical arguments; empty covers any.
	Args json.RawMessage `json:"args,omitempty"`
	// Digest is that of what our own hands give to a page (a file's real path, a script): it must
	// be the call's; empty covers only calls that give nothing of that kind.
	Digest string `json:"digest,omitempty"`
	// Outside are the sources of outside text that stood in the context when it was given;
	// it covers contexts that hold no others.
	Outside []string `json:"outside,omitempty"`
	// Text is the scope as it was written out to the person.
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}
