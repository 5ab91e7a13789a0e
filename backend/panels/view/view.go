// Package view defines and checks declarative pages of panels (ui.kind "declarative"). A page is a small tree of texts,
// lists, tables, forms, buttons and charts in a JSON file of the panel's folder. The window draws it. It contains no
// scripts.
//
// A valid page refers to the panel's own tools: its data comes from tools that only read, and its buttons and forms
// make ordinary calls through the pipeline. Texts are templates: the window replaces {name} by a value of the data as
// plain text.
package view

import "encoding/json"

const (
	maxBytes   = 256 << 10
	maxNodes   = 400
	maxDepth   = 8
	maxSources = 16
	maxText    = 8000
	minRefresh = 5
	maxRefresh = 86400
)

// Tree is a whole page. Source is the source of the parts that neither have one nor are in a part with one.
type Tree struct {
	Source   *DataSource `json:"source,omitempty"`
	Children []Part      `json:"children"`
}

// DataSource is a call of a tool of the panel that only reads. Every is the refresh interval in seconds, 0 for none.
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
	// Source is for this part and the parts in it, instead of the source around it. From is a JSON Pointer into the
	// source's result, "" for the whole result.
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
	// Actions contains the buttons of each row of a list or table, or of a part of kind buttons.
	Actions []PartAction `json:"actions,omitempty"`
	// Tool, Fields, Args, Submit and Confirm belong to a form. Fields contains the parameters for which the form asks;
	// if it is empty, the form asks for all. Args are additional arguments. Submit is the label of the button.
	Tool    string                     `json:"tool,omitempty"`
	Fields  []string                   `json:"fields,omitempty"`
	Args    map[string]json.RawMessage `json:"args,omitempty"`
	Submit  string                     `json:"submit,omitempty"`
	Confirm string                     `json:"confirm,omitempty"`
}

// RowText contains the templates for the texts of a list's row. Meta is for a detail such as a date.
type RowText struct {
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Meta  string `json:"meta,omitempty"`
}

// RowCheck is the checkbox of a list's row. Field is the row's member with its state. A change calls Tool with Args and
// the new state as the argument Set (or Field if Set is "").
type RowCheck struct {
	Field string                     `json:"field"`
	Tool  string                     `json:"tool"`
	Args  map[string]json.RawMessage `json:"args,omitempty"`
	Set   string                     `json:"set,omitempty"`
}

// TableColumn is a column of a table. Text is the template of its cells. Align is start (or "") or end.
type TableColumn struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Align string `json:"align,omitempty"`
}

// ChartSeries is a line or a color of bars in a chart. Field is the row's member with its number.
type ChartSeries struct {
	Title string `json:"title"`
	Field string `json:"field"`
}

// PartAction is a button that calls Tool with Args, in which "{name}" is replaced by the value of that name. Confirm is
// a question that the user is asked first.
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
