// Package view defines and checks the page of a panel whose ui.kind is declarative: a small tree of
// texts, lists, tables, forms, buttons and charts in a JSON file of the panel's folder, drawn by the
// window. There is no script in it.
//
// Check reports everything that is wrong with such a file, each problem with its place and a value to
// write. A valid page refers only to the panel's own tools: its data comes from tools that only read,
// and its buttons and forms make ordinary calls, which the pipeline decides. Texts are templates: the
// window replaces {name} by a value of the row as plain text.
package view

import "encoding/json"

// Limits of a page.
const (
	maxBytes   = 256 << 10
	maxNodes   = 400
	maxDepth   = 8
	maxSources = 16
	maxText    = 8000
	// minRefresh and maxRefresh bound in seconds how often a source is refreshed.
	minRefresh = 5
	maxRefresh = 86400
)

// Tree is a whole page. Source is for parts without one of their own.
type Tree struct {
	Source   *DataSource `json:"source,omitempty"`
	Children []Part      `json:"children"`
}

// DataSource is a tool of the panel that only reads. Every is its refresh interval in seconds, 0 for
// none; it is also read after every action.
type DataSource struct {
	Tool  string                     `json:"tool"`
	Args  map[string]json.RawMessage `json:"args,omitempty"`
	Every int                        `json:"every,omitempty"`
}

// Part is one part of a page. Kind is section, columns, text, markdown, list, table, form,
// buttons or chart, and says which of the other members are used (shapes in shape.go).
type Part struct {
	Kind  string `json:"kind"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	Style string `json:"style,omitempty"`
	// Source is used instead of the nearest one above; From is a JSON pointer into its result, "" for
	// all of it.
	Source   *DataSource `json:"source,omitempty"`
	From     string      `json:"from,omitempty"`
	Children []Part      `json:"children,omitempty"`
	// Empty is shown when a list, a table or a chart has no rows.
	Empty string `json:"empty,omitempty"`
	// Item and Check belong to a list, Columns to a table, X, Series and Unit to a chart.
	Item    *RowText      `json:"item,omitempty"`
	Check   *RowCheck     `json:"check,omitempty"`
	Columns []TableColumn `json:"columns,omitempty"`
	X       string        `json:"x,omitempty"`
	Series  []ChartSeries `json:"series,omitempty"`
	Unit    string        `json:"unit,omitempty"`
	// Actions are the buttons of a row, or of a part of kind buttons.
	Actions []PartAction `json:"actions,omitempty"`
	// Tool, Fields, Args, Submit and Confirm belong to a form. Fields are the parameters that it asks
	// for, all when empty; Args are sent too.
	Tool    string                     `json:"tool,omitempty"`
	Fields  []string                   `json:"fields,omitempty"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Submit  string                     `json:"submit,omitempty"`
	Confirm string                     `json:"confirm,omitempty"`
}

// RowText is the text of a list's row, as templates.
type RowText struct {
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Meta  string `json:"meta,omitempty"`
}

// RowCheck is the checkbox of a list's row: Field is its state, and changing it calls Tool with Args
// and the new state under the name Set (Field when "").
type RowCheck struct {
	Field string                     `json:"field"`
	Tool  string                     `json:"tool"`
	Args  map[string]json.RawMessage `json:"args,omitempty"`
	Set   string                     `json:"set,omitempty"`
}

// TableColumn is a column of a table; Text is a template.
type TableColumn struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Align string `json:"align,omitempty"`
}

// ChartSeries is one line or colour of bars of a chart; Field holds its numbers.
type ChartSeries struct {
	Title string `json:"title"`
	Field string `json:"field"`
}

// PartAction is a button that calls Tool with Args. An argument "{name}" is replaced by that value
// with its type. Confirm is a question asked first.
type PartAction struct {
	Label   string                     `json:"label"`
	Tool    string                     `json:"tool"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Confirm string                     `json:"confirm,omitempty"`
	Style   string                     `json:"style,omitempty"`
}

// Tool is what a page needs to know of a tool of its panel. Parameters is its JSON Schema.
type Tool struct {
	Name       string
	ReadOnly   bool
	Parameters json.RawMessage
}
