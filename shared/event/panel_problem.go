package event

import "fmt"

// Severity is how severe a PanelProblem is.
type Severity string

// The severities.
const (
	// SeverityError disables the manifest, or only the tool that Tool names.
	SeverityError Severity = "error"
	// SeverityWarning disables nothing.
	SeverityWarning Severity = "warning"
)

// PanelProblem is a mistake in a panel, with its place and a possible correction. It quotes the panel's files,
// so it is text from outside.
type PanelProblem struct {
	// File is the file's name in the panel's folder, "" for none.
	File string `json:"file,omitempty"`
	// Line and Column count from 1, columns in characters; both are 0 when there is no place in the file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Pointer is the JSON Pointer (RFC 6901) of the value, also of a missing one; "" is the whole document.
	Pointer string `json:"pointer,omitempty"`
	// Expected and Found are phrases: "a string of 1 to 80 characters", "the number 5".
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
	// Nearest is the known name that was probably meant.
	Nearest string `json:"nearest,omitempty"`
	// Fix is the smallest piece of JSON that would be correct there: a member with its name inside an object,
	// else a value.
	Fix string `json:"fix,omitempty"`
	// Text is the whole problem as a sentence.
	Text     string   `json:"text"`
	Severity Severity `json:"severity"`
	// Tool is the tool that is disabled because of it, "" when the whole panel is.
	Tool string `json:"tool,omitempty"`
}

// String returns the problem as one line for a person, its place first.
func (p PanelProblem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("%s %d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// Warning reports whether p disables nothing.
func (p PanelProblem) Warning() bool { return p.Severity == SeverityWarning }

// Stops reports whether p disables the whole manifest.
func (p PanelProblem) Stops() bool { return !p.Warning() && p.Tool == "" }

// ProblemLines returns p's problems, each as one line for a person.
func (p Panel) ProblemLines() []string {
	lines := make([]string, len(p.Problems))
	for i, problem := range p.Problems {
		lines[i] = problem.String()
	}
	return lines
}
