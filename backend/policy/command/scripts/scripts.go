// Package scripts reads scripts of sed and awk for what they do besides editing text: which files they read and write,
// and what they start.
//
// The contract: ReadSed and AwkHasEffects are pure functions of the script. ReadSed reports whether it understood all
// of it. AwkHasEffects reports true when it is in doubt.
//
// It resolves no paths and reads no commands: both are returned as they are written.
package scripts

// ActionKind is what a script does besides editing text.
type ActionKind int

// The kinds of action.
const (
	// ReadsFile and WritesFile name a file.
	ReadsFile ActionKind = iota
	WritesFile
	// RunsCommand runs a command line, the edited line when Text is "".
	RunsCommand
	// RunsInput runs the result of a substitution as a command.
	RunsInput
)

// Action is one thing that a script does besides editing text.
type Action struct {
	Kind ActionKind
	Text string
}
