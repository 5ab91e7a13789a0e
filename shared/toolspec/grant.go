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
	// GrantNever is a rule made in the settings: it refuses, and wins over every permission.
	GrantNever GrantScope = "never"
)

// AnyTool stands as the tool of a rule that holds for all of them.
const AnyTool = "*"

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
	// Commands are the only programs that a command line may start besides harmless ones, by
	// their names ("go test"); empty does not restrict. Such a permission covers nothing that
	// deletes, leaves Folder or runs outside of the sandbox. In a rule they are what it forbids,
	// and "git" is every git.
	Commands []string `json:"commands,omitempty"`
	// Network says that those programs may reach the network, Hosts then where.
	Network bool `json:"network,omitempty"`
	// Paths are files and folders that a rule forbids, absolute; permissions have none.
	Paths []string `json:"paths,omitempty"`
	// Target must equal what the call acts on (Description.Target); empty covers any.
	Target string `json:"target,omitempty"`
	// Args must equal the call's canonical arguments; empty covers any.
	Args json.RawMessage `json:"args,omitempty"`
	// Digest is that of what our own hands give to a page (a file's real path, a script), or of
	// what a call would do to which files: it must be the call's; empty covers only calls that
	// have nothing of that kind.
	Digest string `json:"digest,omitempty"`
	// Secrets are the names of the only secrets that the call may put in; empty covers only calls
	// that put in none.
	Secrets []string `json:"secrets,omitempty"`
	// Outside are the sources of outside text that stood in the context when it was given;
	// it covers contexts that hold no others.
	Outside []string `json:"outside,omitempty"`
	// Text is the scope as it was written out to the person.
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}
