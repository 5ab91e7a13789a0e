package toolspec

import (
	"context"

	"sextant/shared/annotation"
)

// Description says what a call will do. The policy decides by it, and the question to the person and the sentence that
// is shown are made from it. Sextant determines it from the arguments and its own state, not from a model's statement
// about its call.
type Description struct {
	// Sentence is a sentence in the present tense: "Opening shop.example". For a call that starts programs, it is the
	// programs' effect ("Delete 3 files in build/") and also the question that the person is asked.
	Sentence string `json:"present"`
	// Question asks a person whether to do it: "Change 3 lines in notes.txt?". If it is "", the policy makes a question
	// from the other fields. Sextant writes it from facts, not from the words of a model or a server.
	Question string `json:"question,omitempty"`
	// Title is the name of the tool as its panel or server shows it, "" if it has none.
	Title string `json:"title,omitempty"`
	// Note is what the model said the call is for.
	Note string `json:"note,omitempty"`
	// Diff is a unified diff of the change to a file, "" if there is none. EditArg is the argument with the new text,
	// which the person may edit before the call runs.
	Diff    string `json:"diff,omitempty"`
	EditArg string `json:"edit,omitempty"`
	// Target is the address, path or command line that the call acts on.
	Target string `json:"target,omitempty"`
	// NewProgram names the third-party program that the call would start for the first time, "" for none. Target is
	// then its exact command line.
	NewProgram string `json:"starts,omitempty"`
	// Data is the text that the call would write, or send from this machine.
	Data string `json:"data,omitempty"`
	// Hosts contains the hosts to which the call would connect, as host or host:port in lower case. For a call that
	// acts on an element, it is the host of the element's page or frame.
	Hosts []string `json:"hosts,omitempty"`
	// Annotation is the number of the element that the call acts on, 0 for none.
	Annotation int `json:"annotation,omitempty"`
	// ScrollsPage is true if a tool that only reads scrolls the page in order to read.
	ScrollsPage bool `json:"moves,omitempty"`
	// PageEffect is what the call seems to do on the server of the page, "" for nothing that needs a question.
	PageEffect PageEffect `json:"page_effect,omitempty"`
	// IsPageLink is true if Target is the address of a link on the current page.
	IsPageLink bool `json:"linked,omitempty"`
	// CopiedFrom names the sources from which Data seems to be copied, other than the target itself: a file, or the
	// origin of another page.
	CopiedFrom []string `json:"copied,omitempty"`
	// ComposedAfter names the private sources with text in the context, except Hosts, if the call would send words to
	// Hosts that its caller chose: the person did not type them, and they are not a link of the current page.
	ComposedAfter []string `json:"-"`
	// ReadSources names everything with text in the context, also what is not outside text: a created tool may have
	// been written because of it.
	ReadSources []string `json:"-"`
	// Elements describes the elements of the page that the call acts on, by the argument with the number of each.
	Elements map[string]annotation.Reference `json:"-"`
	// SecretArgs names the arguments with values that are never shown or stored, such as the text for a password field.
	// If there are any, Data is not shown either.
	SecretArgs []string `json:"secret,omitempty"`
	// Secrets lists the person's secrets that the arguments name ({{secret:name}}). The tool can fill in only these.
	Secrets []SecretUse `json:"secrets,omitempty"`
	// ForwardsSecrets is true if the call passes the names of secrets on to other calls, which fill in the values:
	// calls that it makes, or calls of a tool that it creates.
	ForwardsSecrets bool `json:"quotes,omitempty"`
	// Files lists the effects on files in order of mention. Each combination of path and use occurs once.
	Files []FileUse `json:"files,omitempty"`
	// Warnings contains sentences that tell a person why the call needs attention: what a command deletes, or what
	// could not be judged. If there are none, the command was understood completely.
	Warnings []string `json:"warnings,omitempty"`
	// Commands lists the programs that a command line would start, each once. Program is "" if it is known only when
	// the command runs.
	Commands []CommandUse `json:"commands,omitempty"`
	// RunsProgram is true if the call runs a program on this machine with the person's rights. Unconfined says why the
	// program would run outside of the sandbox, "" if it would run inside.
	RunsProgram bool   `json:"starting,omitempty"`
	Unconfined  string `json:"unconfined,omitempty"`
	// Network is true if the program may use the network. Hosts then contains the hosts that the command line names.
	Network bool `json:"network,omitempty"`
	// HostsLimited is true if the sandbox allows only granted hosts. Any other host is judged while the program runs.
	HostsLimited bool `json:"limited,omitempty"`
	// HostCheck is true if the call is already running and wants to connect to Hosts, which it did not name before.
	// Only that connection is judged.
	HostCheck bool `json:"contact,omitempty"`
	// LimitMS is a time limit of this call in milliseconds, for example the timeout in its arguments. It can only
	// shorten the time limit of the tool. It is 0 if the call has no limit of its own.
	LimitMS int `json:"limit_ms,omitempty"`
	// Trial is what the call did when it ran on a copy, nil if it did not. The other fields say what was known before.
	Trial *Trial `json:"-"`
}

// OutputChunk is a piece of output. Stream is stdout or stderr.
type OutputChunk struct{ Stream, Text string }

// Trial is a run of a call on a copy of the workspace folder, without network and without other files of the person.
// It has changed nothing, but its changes can still be made.
type Trial struct {
	// Files are the changes that it made to files, and only those.
	Files []FileUse
	// Question asks a person whether to make the changes. Diff says in a line what happened to each file, followed by
	// its unified diff if it is text.
	Question, Diff string
	// Output is what it printed.
	Output []OutputChunk
	// DurationMS is how long it ran.
	DurationMS int64
	// Apply makes the changes and returns the result of the call. It is called at most once.
	Apply func(ctx context.Context) (Result, error)
	// Discard removes the copy. It must be called in the end, also after Apply.
	Discard func()
}

// PageEffect is what pressing something on a page seems to do beyond the page, judged by its form and its name.
type PageEffect string

// The effects on a page.
const (
	PageSend   PageEffect = "send" // sends a form
	PagePost   PageEffect = "post" // publishes, or sends a message
	PagePay    PageEffect = "pay"
	PageDelete PageEffect = "delete"
)

// SecretUse is a secret that a call would fill in.
type SecretUse struct {
	Name string `json:"name"`
	// Place is the part of the destination that receives the secret: header, query, body or field.
	Place string `json:"place"`
	// Origin is the destination as scheme://host[:port], "" if it is not known.
	Origin string `json:"origin"`
}

// Use is how a call uses a file.
type Use string

// The uses of a file. UseWrite includes creating and changing a file and moving a file to the path. UseDelete includes
// moving a file away from the path.
const (
	UseRead   Use = "read"
	UseWrite  Use = "write"
	UseDelete Use = "delete"
)

// FileUse is one file or folder that a call uses.
type FileUse struct {
	// Path is absolute and clean. Links are resolved as far as the path exists.
	Path string `json:"path"`
	Use  Use    `json:"use"`
	// Sensitive describes a path for which the person is asked even inside the workspace ("a shell start-up file",
	// "git's own files"). It is "" for an ordinary path. Paths that no tool may use are refused before a description is
	// made.
	Sensitive string `json:"sensitive,omitempty"`
	// PanelOwned is true for a file in a folder that contains only files of the panel that owns the tool.
	PanelOwned bool `json:"own,omitempty"`
}

// CommandUse is a program that a command line would start.
type CommandUse struct {
	// Program is the name of the program with its subcommand: "git push", "rm".
	Program string `json:"program"`
	// Name is the name of the command in a grant ("go test"). It is "" if no name says enough about its effect.
	Name string `json:"name,omitempty"`
	// Harmless is true if the command only reads.
	Harmless bool `json:"harmless,omitempty"`
}
