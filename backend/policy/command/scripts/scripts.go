// Package scripts reads the programs that sed and awk are given on their command line, for what they do beside editing
// text: which files they read and write, and what they start.
//
// The contract: both readers are pure functions of the program's text. What they cannot read they report as such. The
// awk reader only tells whether a program may do more than print; it may be wrong in that direction alone.
//
// It knows no paths and no shell: names of files and commands are returned as they are written.
package scripts

// ActionKind is what a script does beside editing text.
type ActionKind int

// The kinds of action.
const (
	// ReadsFile and WritesFile name a file.
	ReadsFile ActionKind = iota
	WritesFile
	// RunsCommand runs a command line; where Text is "", the line that is being edited.
	RunsCommand
	// RunsInput runs the outcome of a substitution as a command.
	RunsInput
)

// Action is one thing that a script does beside editing text.
type Action struct {
	Kind ActionKind
	Text string
}
