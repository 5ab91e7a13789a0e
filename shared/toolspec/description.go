package toolspec

import "sextant/shared/clip"

// Description says before a call runs what it will do: the sentence of its card and the
// facts the policy and the approval are built from. All fields are facts read from the
// call's arguments, never a model's wording of them.
type Description struct {
	// Present is the sentence while it runs: "Opening shop.example". Of a call that starts
	// programs it is what they do, "Delete 3 files in build/", and makes the question.
	Present string `json:"present"`
	// Target is the real address, path or command line the call acts on.
	Target string `json:"target,omitempty"`
	// Starts names a program of somebody else's that the call would start for the first
	// time, "" when it starts none; Target is then its exact command line.
	Starts string `json:"starts,omitempty"`
	// Data is what would leave this machine or be written.
	Data string `json:"data,omitempty"`
	// Hosts the call would talk to, lower case, host or host:port. For a call that acts on an
	// element it is the host of the page or frame the element stands on.
	Hosts []string `json:"hosts,omitempty"`
	// Annotation is the numbered element the call acts on, 0 for none.
	Annotation int `json:"annotation,omitempty"`
	// Moves is true when the call of a tool that only reads moves the page all the same: it
	// scrolls to what it reads.
	Moves bool `json:"moves,omitempty"`
	// Linked is true when Target is an address the page in front offers as a link.
	Linked bool `json:"linked,omitempty"`
	// Copied names sources Data looks copied from that are not the target's own: a file,
	// another page's origin.
	Copied []string `json:"copied,omitempty"`
	// Local names files and commands of this machine whose words stand in the context. They are
	// no outside text, but what a tool plants may still be theirs.
	Local []string `json:"-"`
	// Secret names the arguments whose values are never shown or kept, as what goes into a
	// password field. When there is one, Data is not shown either.
	Secret []string `json:"secret,omitempty"`
	// Secrets are the person's secrets that the call names ({{secret:name}}) where its tool puts
	// them in. A tool that names none in its description takes none.
	Secrets []SecretUse `json:"secrets,omitempty"`
	// Quotes is true when secrets that the arguments name are handed on as names, to be put in by
	// the calls that it makes.
	Quotes bool `json:"quotes,omitempty"`
	// Files are what the call would do to files, each path and use once, in order of mention.
	Files []FileUse `json:"files,omitempty"`
	// Warnings are sentences about what makes the call worth a question, for a person: what a
	// command deletes, what could not be judged. None means that it was read whole.
	Warnings []string `json:"warnings,omitempty"`
	// Commands are the programs a command line would start, each once; "" as the program is one
	// that shows only when it runs.
	Commands []CommandUse `json:"commands,omitempty"`
	// Starting says that the call runs a program of this machine as the person, and Unconfined,
	// when not empty, why it would run outside of the sandbox.
	Starting   bool   `json:"starting,omitempty"`
	Unconfined string `json:"unconfined,omitempty"`
	// Network says that what it runs may reach the network; Hosts then are those it names.
	Network bool `json:"network,omitempty"`
	// Limited says that the sandbox lets it reach hosts that were granted and no others, and that
	// one which was not is judged as it runs.
	Limited bool `json:"limited,omitempty"`
	// Contact says that the call runs already and has come to Hosts, which it did not name before:
	// only whether it may reach them is judged.
	Contact bool `json:"contact,omitempty"`
	// LimitMS is after how many milliseconds this call ends by its own arguments, as with the
	// timeout of a command; 0 when only its Definition's deadline bounds it.
	LimitMS int `json:"limit_ms,omitempty"`
}

// SecretUse is one secret that a call would put in.
type SecretUse struct {
	Name string `json:"name"`
	// Place is header, query, body or field.
	Place string `json:"place"`
	// Origin is scheme://host[:port] of where it would go, "" when that is not known.
	Origin string `json:"origin"`
}

// Use is what happens to a file.
type Use string

// The uses of a file. Write covers making, changing and moving to; Delete covers moving away.
const (
	UseRead   Use = "read"
	UseWrite  Use = "write"
	UseDelete Use = "delete"
)

// FileUse is one file or folder a call touches.
type FileUse struct {
	// Path is absolute and clean, links resolved as far as the path exists.
	Path string `json:"path"`
	Use  Use    `json:"use"`
	// Sensitive says what the place is when it asks even inside the workspace ("a shell start-up
	// file", "git's own files"), "" for an ordinary one. Places no tool may touch are refused
	// before a description is made.
	Sensitive string `json:"sensitive,omitempty"`
	// Own is true of a file of the tool's own panel, in a folder that holds nothing else.
	Own bool `json:"own,omitempty"`
}

// CommandUse is one program that a command line would start.
type CommandUse struct {
	// Program is its name with the subcommand: "git push", "rm".
	Program string `json:"program"`
	// Name is how a standing permission may call it, "go test", and "" when no name tells
	// enough of what it does.
	Name string `json:"name,omitempty"`
	// Harmless is true when it only reads.
	Harmless bool `json:"harmless,omitempty"`
}

// Brief is excerpt.Line.
func Brief(text string, most int) string { return clip.Line(text, most) }
