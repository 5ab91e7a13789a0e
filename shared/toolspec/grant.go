package toolspec

import (
	"encoding/json"
	"time"
)

// GrantScope says how long a Grant applies.
type GrantScope string

// The scopes of stored grants. A permission for a single call is not stored.
const (
	GrantConversation GrantScope = "conversation"
	GrantAlways       GrantScope = "always"
	// GrantForbid marks a rule from the settings that forbids calls and overrides every permission.
	GrantForbid GrantScope = "never"
)

// GrantKind says what a permission with a wide scope covers.
type GrantKind string

// The kinds of wide permissions. None covers a call that deletes files, uses a sensitive place, a secret or text copied
// from elsewhere, or that outside text could steer.
const (
	// GrantFile covers the Use of exactly the file in Paths, GrantFolder that of every file below the folder in Paths.
	GrantFile   GrantKind = "file"
	GrantFolder GrantKind = "folder"
	// GrantHost covers the requests of the web tools to Hosts, and only those that read if Use is UseRead.
	GrantHost GrantKind = "host"
	// GrantProgram covers the commands that start only the program in Commands and stay in Folder, without the network.
	GrantProgram GrantKind = "program"
	// GrantTool covers every call of a tool of a panel or an MCP server.
	GrantTool GrantKind = "tool"
	// GrantSite covers the forms sent and the posts made on pages of Hosts, but no payment and no deletion.
	GrantSite GrantKind = "site"
)

// AnyTool is the value of Grant.Tool in a rule that applies to all tools.
const AnyTool = "*"

// Grant is a lasting permission that a person gave when answering a question, or a rule from the settings that forbids
// calls (GrantForbid). A permission with a Kind covers what the kind says; any other covers a call if all fields match.
// A rule forbids a call if Tool, Owner and Folder match, and one of Hosts, Commands or Paths, if it has any.
type Grant struct {
	ID    string     `json:"id"`
	Scope GrantScope `json:"scope"`
	Kind  GrantKind  `json:"kind,omitempty"`
	Tool  string     `json:"tool"`
	Owner string     `json:"owner,omitempty"`
	// Grantee names the program that received the permission ("mcp:editor"), "" for Sextant itself.
	Grantee string `json:"party,omitempty"`
	// Conversation and Folder limit the grant to a conversation and a workspace folder; "" is no limit.
	Conversation string `json:"conversation,omitempty"`
	Folder       string `json:"folder,omitempty"`
	// Hosts contains the only hosts, without their subdomains, to which a call may connect. The call must name at least
	// one of them; if Hosts is empty, it must name none. In a rule, Hosts are forbidden with their subdomains.
	Hosts []string `json:"hosts,omitempty"`
	// Commands contains the names ("go test") of the only programs, besides harmless ones, that a command line may
	// start; if it is empty, there is no limit. A permission with Commands covers nothing that deletes, leaves Folder
	// or runs outside of the sandbox. In a rule, Commands are the forbidden programs, and "git" includes every git
	// command.
	Commands []string `json:"commands,omitempty"`
	// Network is true if the programs in Commands may use the network; Hosts then contains the allowed hosts. If
	// Commands is empty, the grant only lets running commands reach Hosts (Description.HostCheck).
	Network bool `json:"network,omitempty"`
	// Paths contains the absolute paths of the files and folders that a rule forbids. Their parts may be patterns of
	// path.Match. In a permission it contains the file or folder of the Kind, with its links resolved. Use is what
	// a permission with a Kind allows to do with Paths or Hosts.
	Paths []string `json:"paths,omitempty"`
	Use   Use      `json:"use,omitempty"`
	// Target must equal the Description.Target of the call; "" covers any target.
	Target string `json:"target,omitempty"`
	// Args must equal the canonical arguments of the call. If Args is empty, the grant covers any arguments, but
	// answers no question about the arguments themselves.
	Args json.RawMessage `json:"args,omitempty"`
	// Digest must equal the digest of the call: a hash of its effects on files, or of what it would give to a page (the
	// real path of a file, a script). "" covers only calls without either. It does not matter in a grant with Commands.
	Digest string `json:"digest,omitempty"`
	// Secrets names the only secrets that the call may fill in. If it is empty, the grant covers only calls without
	// secrets.
	Secrets []string `json:"secrets,omitempty"`
	// Outside lists the sources of outside text that the context had when the grant was given. The grant covers only
	// contexts without other sources.
	Outside []string `json:"outside,omitempty"`
	// Text is the scope of the grant as it was shown to the person.
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}
