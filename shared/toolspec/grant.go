package toolspec

import (
	"encoding/json"
	"time"
)

// GrantScope says how long a Grant applies.
type GrantScope string

// The scopes of stored grants. A permission for one call is not stored.
const (
	GrantConversation GrantScope = "conversation"
	GrantAlways       GrantScope = "always"
	// GrantForbid is a rule from the settings: it forbids, and overrides every permission.
	GrantForbid GrantScope = "never"
)

// AnyTool is the tool of a rule that applies to all tools.
const AnyTool = "*"

// Grant is a standing permission that a person gave in answer to a question, or a rule. It covers a call only if
// all fields fit; each field says what it means when empty.
type Grant struct {
	ID    string     `json:"id"`
	Scope GrantScope `json:"scope"`
	Tool  string     `json:"tool"`
	Owner string     `json:"owner,omitempty"`
	// Party names the program that it was given to ("mcp:editor"), "" for Sextant itself.
	Party string `json:"party,omitempty"`
	// Conversation and Folder restrict it to one conversation and one workspace folder; empty ones do not
	// restrict.
	Conversation string `json:"conversation,omitempty"`
	Folder       string `json:"folder,omitempty"`
	// Hosts are the only hosts that the call may connect to, without their subdomains. Empty covers only calls
	// that name no host.
	Hosts []string `json:"hosts,omitempty"`
	// Commands are the only programs that a command line may start besides harmless ones, by name ("go test");
	// empty does not restrict. Such a permission covers nothing that deletes, leaves Folder or runs outside of the
	// sandbox. In a rule they are the forbidden programs, and "git" includes every git command.
	Commands []string `json:"commands,omitempty"`
	// Network says that those programs may use the network; Hosts are then the allowed hosts.
	Network bool `json:"network,omitempty"`
	// Paths are the files and folders that a rule forbids, absolute; permissions have none.
	Paths []string `json:"paths,omitempty"`
	// Target must equal what the call acts on (Description.Target); empty covers any.
	Target string `json:"target,omitempty"`
	// Args must equal the call's canonical arguments; empty covers any.
	Args json.RawMessage `json:"args,omitempty"`
	// Digest must equal the call's: the hash of what it would give to a page (a file's real path, a script), or of
	// its effects on files. Empty covers only calls without these.
	Digest string `json:"digest,omitempty"`
	// Secrets names the only secrets that the call may fill in; empty covers only calls that fill in none.
	Secrets []string `json:"secrets,omitempty"`
	// Outside are the sources of text from outside in the context when it was given; it covers contexts that have
	// no others.
	Outside []string `json:"outside,omitempty"`
	// Text is the scope as it was shown to the person.
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}
