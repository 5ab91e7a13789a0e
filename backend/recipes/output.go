package recipes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// contentTool is the tool whose steps return values.
const contentTool = "get_page_content"

// maxContent is the argument of contentTool with which it returns a page in one piece.
const maxContent = `{"max_tokens":100000}`

// pageBlocks returns the blocks of the page in the result of contentTool.
func pageBlocks(result any) ([]block, error) {
	b, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("reading the page: %w", err)
	}
	var content struct {
		Text string
		Next int `json:"next_offset"`
	}
	if err := json.Unmarshal(b, &content); err != nil {
		return nil, fmt.Errorf("reading the page: %w", err)
	}
	if content.Next > 0 {
		return nil, errors.New("the page is too long to read a value from it")
	}
	return blocksOf(content.Text), nil
}

// valueMissingError says that a page does not have exactly one value for an output.
type valueMissingError struct {
	output recipe.Output
	found  int
}

// Error implements error.
func (e *valueMissingError) Error() string {
	if e.found == 0 {
		return "the page does not have " + labelOf(e.output)
	}
	return fmt.Sprintf("the page has %s %d times", labelOf(e.output), e.found)
}

// read returns the value of an output on a page: a text, or rows as texts by column. The error is a
// *valueMissingError.
func read(o recipe.Output, page []block) (any, error) {
	switch {
	case o.Label == "" && o.Heading > 0:
		return belowHeadings(o, page)
	case o.Label == "":
		return rows(o, page)
	}
	found := slices.Concat(cells(o, page), inLines(o, page), nextLines(o, page))
	if len(found) != 1 {
		return nil, &valueMissingError{o, len(found)}
	}
	return found[0], nil
}

// labelOf returns what an output is found by, in words for people.
func labelOf(o recipe.Output) string {
	switch {
	case o.Label == "" && o.Heading > 0:
		return fmt.Sprintf("the headings of level %d with the lines below them", o.Heading)
	case o.Label == "":
		return "the table with “" + strings.Join(o.Columns, "”, “") + "”"
	case len(o.Columns) == 1:
		return "“" + o.Columns[0] + "” of “" + o.Label + "”"
	}
	return "what follows “" + o.Label + "”"
}

// cells returns the texts in the column of the rows that begin with the label.
func cells(o recipe.Output, page []block) (found []string) {
	if len(o.Columns) != 1 {
		return nil
	}
	for _, b := range page {
		column := columnOf(b.header, o.Columns[0])
		if column >= 0 && isLabel(b.cells[0], o.Label) {
			found = append(found, b.cells[column])
		}
	}
	return found
}

// columnOf returns the index of the only column with a header, -1 for none.
func columnOf(header []string, name string) int {
	at := -1
	for i, h := range header {
		if isLabel(h, name) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

func isLabel(text, label string) bool {
	return strings.EqualFold(strings.TrimRight(text, ": "), strings.TrimRight(label, ": "))
}

// inLines returns what follows the label in the lines that begin with it.
func inLines(o recipe.Output, page []block) (found []string) {
	if len(o.Columns) > 0 || o.Heading > 0 {
		return nil
	}
	for _, b := range page {
		rest, ok := cutPrefixFold(b.text, o.Label)
		if !ok || rest == "" || !strings.ContainsAny(rest[:1], ": ") {
			continue
		}
		if value, ok := valueIn(strings.TrimLeft(rest, ": "), o.Until); ok && value != "" {
			found = append(found, value)
		}
	}
	return found
}

// nextLines returns the lines after those that are the label. A label that was a heading must be one.
func nextLines(o recipe.Output, page []block) (found []string) {
	for i := range len(page) - 1 {
		if len(o.Columns) > 0 || !isLabel(page[i].text, o.Label) || (o.Heading > 0 && page[i].heading == 0) ||
			page[i+1].heading > 0 {
			continue
		}
		if value, ok := valueIn(page[i+1].text, o.Until); ok {
			found = append(found, value)
		}
	}
	return found
}

// valueIn returns the part of text before until, and all of it if until is "". ok is false if until does not occur.
func valueIn(text, until string) (value string, ok bool) {
	if until == "" {
		return text, true
	}
	value, _, ok = strings.Cut(text, until)
	return strings.TrimSpace(value), ok
}

func cutPrefixFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}

// rows returns the rows of the only table that has the columns.
func rows(o recipe.Output, page []block) (any, error) {
	list := []map[string]string{}
	var table []string
	tables := 0
	for _, b := range page {
		if b.header == nil || !hasColumns(b.header, o.Columns) {
			continue
		}
		if table == nil || &table[0] != &b.header[0] {
			tables++
		}
		table = b.header
		row := map[string]string{}
		for _, name := range o.Columns {
			row[name] = b.cells[columnOf(b.header, name)]
		}
		list = append(list, row)
	}
	if tables != 1 {
		return nil, &valueMissingError{o, tables}
	}
	return list, nil
}

func hasColumns(header, columns []string) bool {
	for _, name := range columns {
		if columnOf(header, name) < 0 {
			return false
		}
	}
	return true
}

// belowHeadings returns the headings of a level with the lines below them. The columns name the heading and its lines.
func belowHeadings(o recipe.Output, page []block) (any, error) {
	list := []map[string]string{}
	line := 0
	for _, b := range page {
		switch {
		case b.heading == o.Heading:
			list = append(list, map[string]string{o.Columns[0]: b.text})
			line = 1
		case b.heading > 0 && b.heading < o.Heading:
			line = 0
		case line > 0 && line < len(o.Columns):
			list[len(list)-1][o.Columns[line]] = b.text
			line++
		}
	}
	if len(list) == 0 {
		return nil, &valueMissingError{o, 0}
	}
	return list, nil
}

// Errors of findOutput.
var (
	errNotOnPage = errors.New("this text is not on the page that is open")
	errNoLabel   = errors.New("nothing on the page tells this text apart from others: give more of its line")
	errNoRows    = errors.New("this text is neither in a table nor below a heading, so there is nothing like it")
)

// findOutput returns the output whose value on the page is example, or with all the output with that row and all rows
// like it.
func findOutput(example string, all bool, page []block) (recipe.Output, any, error) {
	example = strings.Join(strings.Fields(example), " ")
	isWhole := func(b block) bool { return b.text == example || slices.Contains(b.cells, example) }
	contains := func(b block) bool { return !isWhole(b) && strings.Contains(b.text, example) }
	if example == "" || !slices.ContainsFunc(page, func(b block) bool { return isWhole(b) || contains(b) }) {
		return recipe.Output{}, nil, errNotOnPage
	}
	for _, fits := range []func(block) bool{isWhole, contains} {
		for i, b := range page {
			if !fits(b) {
				continue
			}
			if o, ok := outputAt(example, all, page, i); ok && fitsFile(o) {
				if value, err := read(o, page); err == nil && (all || value == example) {
					return o, value, nil
				}
			}
		}
	}
	if all {
		return recipe.Output{}, nil, errNoRows
	}
	return recipe.Output{}, nil, errNoLabel
}

// maxLines bounds the lines below a heading that are read, and maxUntil the words after a value that end it.
const (
	maxLines = 8
	maxUntil = 3
)

// fitsFile reports whether a recipe's file may contain an output.
func fitsFile(o recipe.Output) bool {
	const most, longest = 40, 400
	isLong := func(text string) bool { return utf8.RuneCountInString(text) > longest }
	return len(o.Columns) <= most && !slices.ContainsFunc(append(o.Columns, o.Label, o.Until), isLong)
}

// outputAt returns an output for the example in block i. ok is false if there is none.
func outputAt(example string, all bool, page []block, i int) (o recipe.Output, ok bool) {
	b := page[i]
	if all {
		if b.header != nil {
			o.Columns = slices.DeleteFunc(slices.Clone(b.header), func(header string) bool { return header == "" })
			return o, true
		}
		h := i
		for h >= 0 && page[h].heading == 0 {
			h--
		}
		if h < 0 {
			return o, false
		}
		o = recipe.Output{Heading: page[h].heading, Columns: []string{"title"}}
		for line := h + 1; line < len(page) && page[line].heading == 0 && len(o.Columns) <= max(i-h, maxLines); line++ {
			o.Columns = append(o.Columns, fmt.Sprintf("line_%d", len(o.Columns)))
		}
		return o, true
	}
	if column := slices.Index(b.cells, example); column > 0 && column < len(b.header) {
		return recipe.Output{Label: b.cells[0], Columns: []string{b.header[column]}}, true
	}
	before, after, _ := strings.Cut(b.text, example)
	rest := strings.Fields(after)
	o.Until = strings.Join(rest[:min(len(rest), maxUntil)], " ")
	if o.Label = strings.TrimRight(before, ": "); o.Label == "" && i > 0 {
		o.Label, o.Heading = strings.TrimRight(page[i-1].text, ": "), page[i-1].heading
	}
	return o, o.Label != ""
}

// valueText returns a value in lines for people, with at most maxRows rows.
func valueText(o recipe.Output, value any) string {
	list, isRows := value.([]map[string]string)
	if !isRows {
		return fmt.Sprintf("%s: %v", o.Name, value)
	}
	text := fmt.Sprintf("%s: %s", o.Name, english.Plural(len(list), "row", ""))
	for _, row := range list[:min(len(list), maxRows)] {
		var cells []string
		for _, column := range o.Columns {
			cells = append(cells, row[column])
		}
		text += "\n  " + strings.Join(cells, " | ")
	}
	if more := len(list) - maxRows; more > 0 {
		text += fmt.Sprintf("\n  %d more", more)
	}
	return text
}

const maxRows = 20

// FindValue returns the step that reads a value of the page that is open for from again, and the value. In the step,
// {{name}} stands for the defaults of parameters. The error says what is wrong with the example.
func (r *Recipes) FindValue(
	ctx context.Context, from toolspec.Provenance, parameters []recipe.Parameter, want recipe.Wanted,
) (recipe.Step, any, error) {
	from.InBrowser = true
	res := r.cfg.Do(ctx, toolspec.Call{Tool: contentTool, Args: json.RawMessage(maxContent), From: from})
	if !res.Success {
		return recipe.Step{}, nil, failure(res)
	}
	page, err := pageBlocks(res.Value)
	if err != nil {
		return recipe.Step{}, nil, err
	}
	o, value, err := findOutput(want.Example, want.All, page)
	if err != nil {
		return recipe.Step{}, nil, err
	}
	o.Name = want.Name
	var b builder
	for _, p := range parameters {
		if p.Default != nil && !p.Secret {
			b.values = append(b.values, parameterValue{p.Name, *p.Default})
		}
	}
	o = mapOutput(o, b.withParameters)
	return recipe.Step{Tool: contentTool, Args: json.RawMessage(maxContent), Keep: []recipe.Output{o}}, value, nil
}
