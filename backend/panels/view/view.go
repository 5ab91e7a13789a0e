// Package view defines and checks declarative pages of panels (ui.kind "declarative"). A page is a small tree of texts,
// lists, tables, forms, buttons and charts in a JSON file of the panel's folder. The window draws it. It contains no
// scripts.
//
// Check reports all mistakes in a page, each with its position and a correction. A valid page refers only to the
// panel's own tools: its data comes from tools that only read, and its buttons and forms make ordinary calls through
// the pipeline. Texts are templates: the window replaces {name} by a value of the row as plain text.
package view

import "encoding/json"

// Limits of a page.
const (
	maxBytes   = 256 << 10
	maxNodes   = 400
	maxDepth   = 8
	maxSources = 16
	maxText    = 8000
	// minRefresh and maxRefresh are the limits of a source's refresh interval in seconds.
	minRefresh = 5
	maxRefresh = 86400
)

// Tree is a whole page. Source applies to parts without a source.
type Tree struct {
	Source   *DataSource `json:"source,omitempty"`
	Children []Part      `json:"children"`
}

// DataSource is a tool of the panel that only reads. Every is its refresh interval in seconds, 0 for none. It is also
// read after every action.
type DataSource struct {
	Tool  string                     `json:"tool"`
	Args  map[string]json.RawMessage `json:"args,omitempty"`
	Every int                        `json:"every,omitempty"`
}

// Part is a part of a page. Kind is section, columns, text, markdown, list, table, form, buttons or chart, and
// determines which other members are used (see shapes in members.go).
type Part struct {
	Kind  string `json:"kind"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	Style string `json:"style,omitempty"`
	// Source replaces the source of the parts around this one. From is a JSON Pointer into the source's result, "" for
	// the whole result.
	Source   *DataSource `json:"source,omitempty"`
	From     string      `json:"from,omitempty"`
	Children []Part      `json:"children,omitempty"`
	// Empty is the text for a list, table or chart without rows.
	Empty string `json:"empty,omitempty"`
	// Item and Check belong to a list, Columns to a table, and X, Series and Unit to a chart.
	Item    *RowText      `json:"item,omitempty"`
	Check   *RowCheck     `json:"check,omitempty"`
	Columns []TableColumn `json:"columns,omitempty"`
	X       string        `json:"x,omitempty"`
	Series  []ChartSeries `json:"series,omitempty"`
	Unit    string        `json:"unit,omitempty"`
	// Actions contains the buttons of a row, or of a part of kind buttons.
	Actions []PartAction `json:"actions,omitempty"`
	// Tool, Fields, Args, Submit and Confirm belong to a form. Fields contains the parameters for which the form asks,
	// and is empty for all. Args are sent, too.
	Tool    string                     `json:"tool,omitempty"`
	Fields  []string                   `json:"fields,omitempty"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Submit  string                     `json:"submit,omitempty"`
	Confirm string                     `json:"confirm,omitempty"`
}

// RowText contains the templates for the text of a list's row.
type RowText struct {
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Meta  string `json:"meta,omitempty"`
}

// RowCheck is the checkbox of a list's row. Field contains its state. A change calls Tool with Args and the new state,
// under the name Set (or Field if Set is "").
type RowCheck struct {
	Field string                     `json:"field"`
	Tool  string                     `json:"tool"`
	Args  map[string]json.RawMessage `json:"args,omitempty"`
	Set   string                     `json:"set,omitempty"`
}

// TableColumn is a column of a table. Text is a template.
type TableColumn struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Align string `json:"align,omitempty"`
}

// ChartSeries is a line or a color of bars in a chart. Field contains its numbers.
type ChartSeries struct {
	Title string `json:"title"`
	Field string `json:"field"`
}

// PartAction is a button that calls Tool with Args. An argument "{name}" is replaced by the value of that name, with
// its type. Confirm is a question that the user is asked first.
type PartAction struct {
	Label   string                     `json:"label"`
	Tool    string                     `json:"tool"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Confirm string                     `json:"confirm,omitempty"`
	Style   string                     `json:"style,omitempty"`
}

// Tool describes a tool of the panel. Parameters is its JSON Schema.
type Tool struct {
	Name       string
	ReadOnly   bool
	Parameters json.RawMessage
}
