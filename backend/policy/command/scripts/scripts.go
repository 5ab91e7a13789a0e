// Package scripts finds what sed and awk scripts do besides editing text: which files they read and write, and which
// commands they start. It does not resolve paths or read commands: it returns both as they are written.
package scripts

// ActionKind is the kind of an Action.
type ActionKind int

// The kinds of action.
const (
	// ActionReadFile and ActionWriteFile use the file that Text names.
	ActionReadFile ActionKind = iota
	ActionWriteFile
	// ActionRunCommand runs the command line in Text, or the edited line if Text is "".
	ActionRunCommand
	// ActionRunResult runs the result of a substitution as a command.
	ActionRunResult
)

// Action is one thing that a script does besides editing text.
type Action struct {
	Kind ActionKind
	Text string
}
