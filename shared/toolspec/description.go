package toolspec

// Description says what a call will do before it runs. The policy, the question to the person and the shown
// sentence are made from it. All fields are facts from the call's arguments, never a model's words.
type Description struct {
	// Present is the sentence while it runs: "Opening shop.example". Of a call that starts programs it is what
	// they do ("Delete 3 files in build/") and becomes the question.
	Present string `json:"present"`
	// Target is the real address, path or command line that the call acts on.
	Target string `json:"target,omitempty"`
	// NewProgram names another author's program that the call would start for the first time, "" for none. Target is
	// then its exact command line.
	NewProgram string `json:"starts,omitempty"`
	// Data is what would be sent from this machine, or written.
	Data string `json:"data,omitempty"`
	// Hosts are the hosts that the call would connect to (host or host:port, lower case). Of a call that acts on
	// an element it is the host of the element's page or frame.
	Hosts []string `json:"hosts,omitempty"`
	// Annotation is the numbered element that the call acts on, 0 for none.
	Annotation int `json:"annotation,omitempty"`
	// ScrollsPage is true when a tool that only reads scrolls the page to what it reads.
	ScrollsPage bool `json:"moves,omitempty"`
	// IsPageLink is true when Target is an address that the current page offers as a link.
	IsPageLink bool `json:"linked,omitempty"`
	// CopiedFrom names the sources that Data looks copied from and that are not the target itself: a file, the origin
	// of another page.
	CopiedFrom []string `json:"copied,omitempty"`
	// Local names the files and commands of this machine whose text is in the context. It is not text from
	// outside, but a created tool may still have been written by it.
	Local []string `json:"-"`
	// Secret names the arguments whose values are never shown or stored, such as the text for a password field.
	// If there is one, Data is not shown either.
	Secret []string `json:"secret,omitempty"`
	// Secrets are the person's secrets that the call names ({{secret:name}}) and its tool fills in. A tool fills in
	// no others.
	Secrets []SecretUse `json:"secrets,omitempty"`
	// ForwardsSecrets is true when the names of secrets in the arguments are passed on as names, and filled in by the
	// calls
	// that this one makes.
	ForwardsSecrets bool `json:"quotes,omitempty"`
	// Files are the effects on files, each path and use once, in order of mention.
	Files []FileUse `json:"files,omitempty"`
	// Warnings are sentences for a person about why to ask: what a command deletes, what could not be judged. None
	// means that all of the command was understood.
	Warnings []string `json:"warnings,omitempty"`
	// Commands are the programs that a command line would start, each once. A program "" is known only when it
	// runs.
	Commands []CommandUse `json:"commands,omitempty"`
	// RunsProgram says that the call runs a program on this machine as the person. Unconfined is why it would run
	// outside of the sandbox, "" when it would not.
	RunsProgram bool   `json:"starting,omitempty"`
	Unconfined  string `json:"unconfined,omitempty"`
	// Network says that the program may use the network; Hosts are then the hosts that it names.
	Network bool `json:"network,omitempty"`
	// HostsLimited says that the sandbox only allows granted hosts, and that any other host is judged while the program
	// runs.
	HostsLimited bool `json:"limited,omitempty"`
	// HostCheck says that the call is already running and wants to connect to Hosts, which it did not name before.
	// Only that connection is judged.
	HostCheck bool `json:"contact,omitempty"`
	// LimitMS is the time limit in milliseconds that the arguments set, such as the timeout of a command; 0 for
	// none.
	LimitMS int `json:"limit_ms,omitempty"`
}

// SecretUse is one secret that a call would fill in.
type SecretUse struct {
	Name string `json:"name"`
	// Place is header, query, body or field.
	Place string `json:"place"`
	// Origin is scheme://host[:port] of the destination, "" when it is not known.
	Origin string `json:"origin"`
}

// Use is what happens to a file.
type Use string

// The uses of a file. UseWrite includes creating, changing and moving to the path; UseDelete includes moving away
// from it.
const (
	UseRead   Use = "read"
	UseWrite  Use = "write"
	UseDelete Use = "delete"
)

// FileUse is one file or folder that a call uses.
type FileUse struct {
	// Path is absolute and clean, with links resolved as far as the path exists.
	Path string `json:"path"`
	Use  Use    `json:"use"`
	// Sensitive says what the path is when its use is asked about even inside the workspace ("a shell start-up
	// file", "git's own files"), "" for an ordinary path. Paths that no tool may use are refused before a
	// description is made.
	Sensitive string `json:"sensitive,omitempty"`
	// Own is true of a file of the tool's own panel, in a folder with nothing else in it.
	Own bool `json:"own,omitempty"`
}

// CommandUse is one program that a command line would start.
type CommandUse struct {
	// Program is its name with the subcommand: "git push", "rm".
	Program string `json:"program"`
	// Name is what a standing permission calls it ("go test"), "" when no name says enough about what it does.
	Name string `json:"name,omitempty"`
	// Harmless is true when it only reads.
	Harmless bool `json:"harmless,omitempty"`
}
