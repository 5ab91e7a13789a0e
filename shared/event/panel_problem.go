package event

import "fmt"

// Severity is the severity of a PanelProblem.
type Severity string

// The severities.
const (
	// SeverityError disables the whole panel, or only the tool named in PanelProblem.Tool.
	SeverityError Severity = "error"
	// SeverityWarning disables nothing.
	SeverityWarning Severity = "warning"
)

// PanelProblem is a mistake in a panel, with its position and a possible correction. It quotes the panel's files, and
// is therefore outside text.
type PanelProblem struct {
	// File is the name of the file in the panel's folder, "" for none.
	File string `json:"file,omitempty"`
	// Line and Column count from 1; Column counts characters. Both are 0 if the problem has no position in the file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Pointer is the JSON Pointer (RFC 6901) of the wrong or missing value. "" refers to the whole document.
	Pointer string `json:"pointer,omitempty"`
	// Expected and Found are phrases: "a string of 1 to 80 characters", "the number 5".
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
	// Nearest is the known name that was probably intended, "" for none.
	Nearest string `json:"nearest,omitempty"`
	// Fix is the smallest piece of JSON that would be correct at the position: a member with its name inside an object,
	// otherwise a value.
	Fix string `json:"fix,omitempty"`
	// Text describes the whole problem in a sentence.
	Text     string   `json:"text"`
	Severity Severity `json:"severity"`
	// Tool is the tool that the problem disables, "" if it disables the whole panel.
	Tool string `json:"tool,omitempty"`
}

// String returns the problem as one line for a person, with its position first if it has one.
func (p PanelProblem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("%s %d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// IsWarning reports whether p is a warning, which disables nothing.
func (p PanelProblem) IsWarning() bool { return p.Severity == SeverityWarning }

// DisablesPanel reports whether p disables the whole panel.
func (p PanelProblem) DisablesPanel() bool { return !p.IsWarning() && p.Tool == "" }

// ProblemLines returns the problems of p, each as one line for a person.
func (p Panel) ProblemLines() []string {
	lines := make([]string, len(p.Problems))
	for i, problem := range p.Problems {
		lines[i] = problem.String()
	}
	return lines
}
