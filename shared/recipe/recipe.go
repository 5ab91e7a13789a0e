// Package recipe defines recipes: calls of tools that were made once and can be made again with other values, without a
// model. A recipe is a JSON file. The package contains plain data.
package recipe

import (
	"encoding/json"

	"sextant/shared/annotation"
)

// Recipe is a list of steps with parameters. In every text of a step, {{name}} stands for the value of a parameter.
type Recipe struct {
	// Name identifies the recipe. It consists of lower-case letters, digits and hyphens.
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Parameters  []Parameter `json:"parameters,omitempty"`
	Steps       []Step      `json:"steps"`
}

// Parameter is a value that each run may change.
type Parameter struct {
	// Name is in snake_case.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Default is the value of a run that gives none. A parameter without a default is required.
	Default *string `json:"default,omitempty"`
	// Secret is true if the value is never shown and stored. It may be one of the person's secrets: {{secret:name}}.
	// The default is such a reference.
	Secret bool `json:"secret,omitempty"`
}

// Step is one call of a tool.
type Step struct {
	Tool string `json:"tool"`
	// Args are the arguments of the call. An argument that takes the number of an element has an annotation.Reference
	// instead, such as {"role": "button", "name": "Save"}.
	Args json.RawMessage `json:"args"`
	// Note is a remark for people.
	Note string `json:"note,omitempty"`
	// Optional is true if the run continues when the element is not there.
	Optional bool `json:"optional,omitempty"`
	// Expect is what the call must cause; nil requires only that the call succeeds.
	Expect *Effect `json:"expect,omitempty"`
	// Keep are values that the run returns. They are read from the text of the page, so the tool is get_page_content.
	Keep []Output `json:"keep,omitempty"`
}

// Output is a value on a page that a run returns: the text after a label, the cell of a row, all rows of a table, or
// all headings of a level with the lines below them.
type Output struct {
	// Name is in snake_case.
	Name string `json:"name"`
	// Label is the text just before the value, in its line or in the line above, or the first cell of its row. It is
	// "" for rows.
	Label string `json:"label,omitempty"`
	// Until is the text after the value in its line, "" for the end of the line.
	Until string `json:"until,omitempty"`
	// Columns are the headers of the columns, one for a cell; below headings, the names of the heading and its lines.
	Columns []string `json:"columns,omitempty"`
	// Heading is the level of the headings, from 1 to 6, and 0 for other values. With a label, the label is a heading.
	Heading int `json:"heading,omitempty"`
}

// Wanted is a value that a run of a recipe shall return.
type Wanted struct {
	Name string `json:"name" pattern:"^[a-z][a-z0-9_]{0,39}$"`
	// Example is the value as the open page shows it.
	Example string `json:"example" minLength:"1" maxLength:"400" doc:"The value, as the page shows it now"`
	// All asks for the row of the value and all rows like it.
	All bool `json:"all,omitempty" doc:"Read the row of the value and all rows like it"`
}

// Effect is what a step causes. All of its parts must come.
type Effect struct {
	// Event is navigated, opened_tab, closed_tab, dialog, file_chooser or download, "" for none.
	Event string `json:"event,omitempty" enum:"navigated,opened_tab,closed_tab,dialog,file_chooser,download"`
	// URL is the address of the page afterwards, without its query. A * stands for any characters except a slash.
	URL string `json:"url,omitempty"`
	// Appears are elements of which at least one is new or changed afterwards.
	Appears []annotation.Reference `json:"appears,omitempty"`
	// Texts are lines that all appear afterwards, apart from numbers.
	Texts []string `json:"texts,omitempty"`
}

// Status says how a run ended.
type Status string

// The ways in which a run can end. A dry run acts on nothing. A run is unmet if a step did not find its element or did
// not have its effect; no later step ran then. It is paused if it ended where it was asked to, before the last step,
// and interrupted if Sextant ended while it ran.
const (
	StatusDone        Status = "done"
	StatusUnmet       Status = "unmet"
	StatusFailed      Status = "failed"
	StatusStopped     Status = "stopped"
	StatusDry         Status = "dry"
	StatusPaused      Status = "paused"
	StatusRunning     Status = "running"
	StatusInterrupted Status = "interrupted"
)

// LastRun says how far a run came. It is kept on disk while the recipe runs, so that a run can go on after Sextant
// has ended.
type LastRun struct {
	Recipe string `json:"recipe"`
	Status Status `json:"status"`
	// Next is the number of the step with which the run can go on, 0 after the last step.
	Next int `json:"next,omitempty"`
	// Uncertain is true if step Next may have been done already.
	Uncertain bool `json:"uncertain,omitempty"`
	// Reason says why the run ended early.
	Reason string `json:"reason,omitempty"`
	// Lost is true if the page does not have the element of step Next, or not one with which the step can be done, so
	// that another may be chosen.
	Lost bool `json:"lost,omitempty"`
	// Replacements are other elements that steps used in place of lost ones. The recipe does not have them yet.
	Replacements []Replacement `json:"replacements,omitempty"`
	// Values contains the values of the parameters that are not secret.
	Values map[string]string `json:"values,omitempty"`
}

// Replacement is another element for a step, in place of one that the page no longer has. The step was done with it.
type Replacement struct {
	Step    int                  `json:"step"`
	Element annotation.Reference `json:"element"`
	// Before and After describe the recorded element and the other one.
	Before string `json:"before"`
	After  string `json:"after"`
	// Proved is true if the step has an effect, and had it with the other element.
	Proved bool `json:"proved"`
}

// Run is the outcome of a run.
type Run struct {
	Recipe string `json:"recipe"`
	Status Status `json:"status"`
	// First is the number of the first step that ran, counted from 1.
	First int `json:"first"`
	// Step is the number of the step at which the run ended early; 0 if it ended with the last step.
	Step int `json:"step,omitempty"`
	// Reason says why the run ended early.
	Reason string `json:"reason,omitempty"`
	// Uncertain is true if the step at which it ended may have been done.
	Uncertain bool         `json:"uncertain,omitempty"`
	Steps     []StepReport `json:"steps"`
	// Values contains what the run returns, by name: a string, or a list of rows as strings by column.
	Values map[string]any `json:"values,omitempty"`
	// Replacements are other elements that steps used in place of lost ones. The recipe does not have them yet.
	Replacements []Replacement `json:"replacements,omitempty"`
	// URL and Title identify the page after the run.
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
	// Text says all of this in lines.
	Text string `json:"text"`
}

// StepReport is the outcome of a step.
type StepReport struct {
	// Sentence says what the step does.
	Sentence string `json:"sentence"`
	// Status is done, skipped, unmet, failed or found; found only if the run acted on nothing.
	Status string `json:"status"`
	// Outcome says what happened.
	Outcome string `json:"outcome,omitempty"`
	// Kept are the values that the step keeps, in lines.
	Kept string `json:"kept,omitempty"`
	// Proved is true if the step had an effect to prove, and it came.
	Proved bool `json:"proved,omitempty"`
}
