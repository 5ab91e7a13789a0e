package event

import "fmt"

// Severities of a PanelProblem.
const (
	// SeverityError keeps the manifest from being used, or one tool where Tool names it.
	SeverityError = "error"
	// SeverityWarning keeps nothing off.
	SeverityWarning = "warning"
)

// PanelProblem is something wrong with a panel, where it is and how it could be right. What
// it quotes is from the panel's own files, so it is text from outside.
type PanelProblem struct {
	// File is the file's name in the panel's folder, "" when it concerns none.
	File string `json:"file,omitempty"`
	// Line and Column count from 1, columns in characters; both are 0 when it concerns no
	// place in the file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Pointer is the JSON pointer (RFC 6901) of the value, also of one that is missing; "" is
	// the whole text.
	Pointer string `json:"pointer,omitempty"`
	// Expected and Found are phrases: "a string of 1 to 80 characters", "the number 5".
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
	// Nearest is the known name that was probably meant.
	Nearest string `json:"nearest,omitempty"`
	// Fix is the smallest piece of JSON that would be right there: a member with its name
	// inside an object, else a value.
	Fix string `json:"fix,omitempty"`
	// Text is the whole problem as a sentence.
	Text     string `json:"text"`
	Severity string `json:"severity"`
	// Tool is the name of the tool that is off because of it, "" when the whole panel is.
	Tool string `json:"tool,omitempty"`
}

// String is the problem in one line for a person, its place first.
func (p PanelProblem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("%s %d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// Warning reports whether p keeps nothing off.
func (p PanelProblem) Warning() bool { return p.Severity == SeverityWarning }

// Stops reports whether p keeps the whole manifest from being used.
func (p PanelProblem) Stops() bool { return !p.Warning() && p.Tool == "" }

// ProblemLines are p's problems, each in one line for a person.
func (p Panel) ProblemLines() []string {
	lines := make([]string, len(p.Problems))
	for i, problem := range p.Problems {
		lines[i] = problem.String()
	}
	return lines
}
