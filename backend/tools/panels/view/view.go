// Package view is the page of a panel whose ui.kind is declarative: a small tree of texts,
// lists, tables, forms, buttons and charts in a JSON file of the panel's folder, drawn by the
// window in Sextant's own look. There is no script in it.
//
// Judge reads such a file and says everything that is wrong with it at once, each fault with
// its place and a mended example. What it lets through refers to nothing but the panel's own
// tools: data come from tools that only read, and what a button or a form does is a call of a
// tool like any other, decided by the Pipeline. Texts are templates: {name} stands for a value
// of the row at hand and is filled in as plain text by the window.
package view

import "encoding/json"

// Bounds of a page.
const (
	MaxBytes   = 256 << 10
	maxNodes   = 400
	maxDepth   = 8
	maxSources = 16
	maxText    = 8000
	// leastEvery and mostEvery bound in seconds how often a source is read again by itself.
	leastEvery = 5
	mostEvery  = 86400
)

// Tree is a whole page. Source is what parts without one of their own read.
type Tree struct {
	Source   *DataSource `json:"source,omitempty"`
	Children []Part      `json:"children"`
}

// DataSource is where data come from: a tool of the panel that only reads. Every is after how
// many seconds it is read again by itself, 0 never; it always is after an action.
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
	// Source is read instead of the nearest one above; From is a JSON pointer into its
	// result, "" for all of it.
	Source   *DataSource `json:"source,omitempty"`
	From     string      `json:"from,omitempty"`
	Children []Part      `json:"children,omitempty"`
	// Empty stands where a list, a table or a chart has no rows.
	Empty string `json:"empty,omitempty"`
	// Item and Check are a list's, Columns a table's, X, Series and Unit a chart's.
	Item    *RowText      `json:"item,omitempty"`
	Check   *RowCheck     `json:"check,omitempty"`
	Columns []TableColumn `json:"columns,omitempty"`
	X       string        `json:"x,omitempty"`
	Series  []ChartSeries `json:"series,omitempty"`
	Unit    string        `json:"unit,omitempty"`
	// Actions are the buttons of a row, or of a part of kind buttons.
	Actions []PartAction `json:"actions,omitempty"`
	// Tool, Fields, Args, Submit and Confirm are a form's: Fields are the parameters that are
	// asked for, all when there are none; Args are given besides.
	Tool    string                     `json:"tool,omitempty"`
	Fields  []string                   `json:"fields,omitempty"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Submit  string                     `json:"submit,omitempty"`
	Confirm string                     `json:"confirm,omitempty"`
}

// RowText is how a row of a list is told: templates.
type RowText struct {
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Meta  string `json:"meta,omitempty"`
}

// RowCheck is the box before a row of a list: Field says whether it is ticked, and ticking it
// calls Tool with Args and the new state under the name Set (Field's when "").
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

// ChartSeries is one line or one colour of bars of a chart; Field holds its numbers.
type ChartSeries struct {
	Title string `json:"title"`
	Field string `json:"field"`
}

// PartAction is a button that calls Tool with Args. A string among them that is "{name}" and
// nothing else is that value with its type. Confirm is a question asked before.
type PartAction struct {
	Label   string                     `json:"label"`
	Tool    string                     `json:"tool"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Confirm string                     `json:"confirm,omitempty"`
	Style   string                     `json:"style,omitempty"`
}

// Tool is what a page has to know of a tool of its panel. Parameters is its JSON Schema.
type Tool struct {
	Name       string
	ReadOnly   bool
	Parameters json.RawMessage
}
