package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sextant/backend/pipeline/nearest"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

const maxProblems = 20

// Problem is a mistake in a page.
type Problem = event.PanelProblem

type checker struct {
	index    *jsonpos.Index
	tools    []Tool
	shapes   map[string]map[string]member
	nodes    int
	sources  map[string]bool
	problems []Problem
}

// Check checks the text of a page. file is the name of the page's file, for use in problems, and tools are the tools of
// the panel. The Tree is nil if there are any problems.
func Check(file string, text []byte, tools []Tool) (*Tree, []Problem) {
	page, problems := read(text, tools)
	for i := range problems {
		problems[i].File, problems[i].Severity = file, event.SeverityError
	}
	return page, problems
}

func read(text []byte, tools []Tool) (*Tree, []Problem) {
	if len(text) > maxBytes {
		return nil, []Problem{{Line: 1, Column: 1, Text: "the page is larger than 256 KB"}}
	}
	index, err := jsonpos.Parse(text)
	var fault *jsonpos.Error
	if errors.As(err, &fault) {
		return nil, []Problem{{
			Line: fault.Line, Column: fault.Column, Expected: "JSON",
			Text: "not valid JSON: " + fault.Text,
		}}
	}
	j := &checker{index: index, tools: tools, shapes: shapes(), sources: map[string]bool{}}
	for _, pointer := range index.Duplicates {
		j.at(index.Keys[pointer], Problem{Pointer: pointer, Text: last(pointer) + " occurs twice in its object"})
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var whole any
	if err := dec.Decode(&whole); err != nil {
		return nil, []Problem{{Line: 1, Column: 1, Text: err.Error()}}
	}
	if object, ok := whole.(map[string]any); ok {
		j.object("", "page", object, nodeContext{})
	} else {
		j.fail("", Problem{
			Expected: "an object", Found: kindOf(whole),
			Fix: `{"children": [{"kind": "text", "text": "Hello"}]}`,
		})
	}
	if len(j.problems) > 0 {
		return nil, j.sorted()
	}
	var page Tree
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, []Problem{{Line: 1, Column: 1, Text: "reading the page: " + err.Error()}}
	}
	return &page, nil
}

func (c *checker) sorted() []Problem {
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	if more := len(c.problems) - maxProblems; more > 0 {
		return append(slices.Clone(c.problems[:maxProblems]), Problem{Text: fmt.Sprintf("and %d more", more)})
	}
	return c.problems
}

type nodeContext struct {
	depth  int
	source bool
}

// fail reports p at the value of pointer, or at the nearest existing value around it. If p has no Text, fail makes a
// sentence of Expected and Found.
func (c *checker) fail(pointer string, p Problem) {
	p.Pointer = pointer
	if p.Text == "" {
		p.Text = fmt.Sprintf("%s should be %s", last(pointer), p.Expected)
		if p.Found != "" {
			p.Text += ", not " + p.Found
		}
	}
	if p.Nearest != "" {
		p.Text += fmt.Sprintf("; did you mean %q", p.Nearest)
	}
	for {
		if span, ok := c.index.Values[pointer]; ok {
			c.at(span.Start, p)
			return
		}
		pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	}
}

func (c *checker) at(offset int, p Problem) {
	p.Line, p.Column = c.index.Position(offset)
	c.problems = append(c.problems, p)
}

// object checks the object at pointer, which should have the members of the given shape.
func (c *checker) object(pointer, shape string, object map[string]any, in nodeContext) {
	known := c.shapes[shape]
	if _, own := object["source"].(map[string]any); own {
		in.source = true
	}
	for _, name := range c.index.Order[pointer] {
		m, ok := known[name]
		if !ok {
			if name != "kind" || shape == "page" || !slices.Contains(kinds, shape) {
				c.unknown(pointer, shape, name, slices.Sorted(maps.Keys(known)))
			}
			continue
		}
		c.value(jsonpos.Pointer(pointer, name), m, object[name], in)
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if _, ok := object[name]; known[name].need && !ok {
			fix := fmt.Sprintf("%q: %s", name, known[name].example)
			c.fail(pointer, Problem{
				Expected: name, Fix: fix,
				Text: fmt.Sprintf("%s has no %s, such as %s", say(shape), name, fix),
			})
		}
	}
	c.calls(pointer, shape, object)
	c.data(pointer, shape, object, in)
}

func (c *checker) unknown(pointer, shape, name string, known []string) {
	p := Problem{
		Found: strconv.Quote(excerpt.TruncateRunes(name, 60)), Expected: strings.Join(known, ", "),
		Pointer: jsonpos.Pointer(pointer, name),
	}
	p.Text = fmt.Sprintf("%s has no member %s; it has %s", say(shape), p.Found, p.Expected)
	if near := nearest.Names(name, known, 1); len(near) > 0 {
		p.Nearest = near[0]
		p.Fix = fmt.Sprintf("%q: %s", near[0], c.shapes[shape][near[0]].example)
		p.Text = fmt.Sprintf("%s has no member %s; did you mean %q", say(shape), p.Found, near[0])
	}
	c.at(c.index.Keys[p.Pointer], p)
}

func say(shape string) string {
	if shape == "item" || shape == "action" {
		return "an " + shape
	}
	return "a " + shape
}

func (c *checker) data(pointer, shape string, object map[string]any, in nodeContext) {
	if in.source {
		return
	}
	from, _ := object["from"].(string)
	needs := shape == "list" || shape == "table" || shape == "chart" || from != ""
	if text, _ := object["text"].(string); shape == "text" && rulePlace.MatchString(text) {
		needs = true
	}
	if needs {
		c.fail(pointer, Problem{
			Expected: "a source", Fix: `"source": {"tool": "` + cmp.Or(c.reader(), "books_show") + `"}`,
			Text: "this " + shape + " shows data but has no source; give it or a part around it one",
		})
	}
}

// reader returns the name of a read-only tool of the panel for use in corrections, "" if there is none.
func (c *checker) reader() string {
	for _, t := range c.tools {
		if t.ReadOnly {
			return t.Name
		}
	}
	return ""
}

var (
	rulePlace = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_.]*(\|[a-z]+)?\}`)
	ruleField = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$`)
	rulePoint = regexp.MustCompile(`^(/([^~/]|~[01])*)*$`)
)

// formats contains the words that may follow the bar in a placeholder such as {added|ago}.
var formats = []string{"ago", "date", "number", "time"}

func (c *checker) value(pointer string, m member, v any, in nodeContext) {
	wrong := func(expected string) {
		c.fail(pointer, Problem{Expected: expected, Found: kindOf(v), Fix: m.example})
	}
	switch m.form {
	case isObject:
		if object, ok := v.(map[string]any); ok {
			c.object(pointer, m.of, object, in)
		} else {
			wrong("an object such as " + m.example)
		}
	case isArgs:
		if object, ok := v.(map[string]any); ok {
			for name, arg := range object {
				if text, is := arg.(string); is {
					c.template(jsonpos.Pointer(pointer, name), text)
				}
			}
		} else {
			wrong("an object of arguments such as " + m.example)
		}
	case isList, isNodes, isNames:
		list, ok := v.([]any)
		if !ok {
			wrong("a list such as " + m.example)
			return
		}
		c.list(pointer, m, list, in)
	case isSeconds:
		n, ok := v.(json.Number)
		seconds, err := strconv.Atoi(n.String())
		if !ok || err != nil || seconds < minRefresh || seconds > maxRefresh {
			wrong(fmt.Sprintf("a whole number of seconds, %d to %d", minRefresh, maxRefresh))
		}
	default:
		text, ok := v.(string)
		if !ok {
			wrong("text such as " + m.example)
			return
		}
		c.word(pointer, m, text)
	}
}

func (c *checker) word(pointer string, m member, text string) {
	switch m.form {
	case isText:
		if utf8.RuneCountInString(text) > maxText {
			c.fail(pointer, Problem{Expected: "at most 8,000 characters"})
		}
		c.template(pointer, text)
	case isWord:
		if !slices.Contains(m.words, text) {
			c.fail(pointer, Problem{
				Expected: strings.Join(m.words, ", "), Found: strconv.Quote(excerpt.TruncateRunes(text, 40)),
				Nearest: near(text, m.words), Fix: m.example,
			})
		}
	case isPointer:
		if !rulePoint.MatchString(text) {
			c.fail(pointer, Problem{
				Expected: "a JSON pointer into the result, such as " + m.example,
				Found:    strconv.Quote(excerpt.TruncateRunes(text, 60)),
				Fix:      strconv.Quote("/" + strings.ReplaceAll(excerpt.TruncateRunes(text, 60), ".", "/")),
			})
		}
	case isField:
		if !ruleField.MatchString(text) {
			c.fail(pointer, Problem{
				Expected: "the name of a field, such as " + m.example,
				Found:    strconv.Quote(excerpt.TruncateRunes(text, 60)),
				Fix: strconv.Quote(strings.Trim(excerpt.TruncateRunes(text, 60),
					"{} ")),
			})
		}
	case isTool, isReader:
		c.tool(pointer, m, text)
	}
}

func (c *checker) template(pointer, text string) {
	for _, place := range rulePlace.FindAllString(text, -1) {
		name, format, has := strings.Cut(strings.Trim(place, "{}"), "|")
		if has && !slices.Contains(formats, format) {
			c.fail(pointer, Problem{
				Expected: strings.Join(formats, ", "), Found: strconv.Quote(format), Nearest: near(format, formats),
				Fix: strconv.Quote("{" + name + "|" + formats[1] + "}"),
				Text: fmt.Sprintf("%s is not a format; formats are %s", strconv.Quote(format),
					strings.Join(formats, ", ")),
			})
		}
	}
}

func (c *checker) list(pointer string, m member, list []any, in nodeContext) {
	if len(list) > m.most {
		c.fail(pointer, Problem{Expected: fmt.Sprintf("at most %d", m.most), Found: strconv.Itoa(len(list))})
		return
	}
	if m.form == isNodes {
		if in.depth++; in.depth > maxDepth {
			c.fail(pointer, Problem{
				Expected: fmt.Sprintf("at most %d levels of parts", maxDepth),
				Text:     fmt.Sprintf("a page is at most %d parts deep", maxDepth),
			})
			return
		}
	}
	for i, v := range list {
		at := jsonpos.Pointer(pointer, strconv.Itoa(i))
		if m.form == isNames {
			if _, ok := v.(string); !ok {
				c.fail(at, Problem{Expected: "the name of a parameter", Found: kindOf(v), Fix: `"title"`})
			}
			continue
		}
		object, ok := v.(map[string]any)
		if !ok {
			c.fail(at, Problem{
				Expected: "an object", Found: kindOf(v),
				Fix: strings.TrimSuffix(strings.TrimPrefix(m.example, "["), "]"),
			})
			continue
		}
		if m.form == isNodes {
			c.node(at, object, in)
		} else {
			c.object(at, m.of, object, in)
		}
	}
}

func (c *checker) node(pointer string, object map[string]any, in nodeContext) {
	if c.nodes++; c.nodes > maxNodes {
		if c.nodes == maxNodes+1 {
			c.fail(pointer, Problem{
				Expected: fmt.Sprintf("at most %d parts", maxNodes),
				Text:     fmt.Sprintf("a page has at most %d parts", maxNodes),
			})
		}
		return
	}
	kind, ok := object["kind"].(string)
	all := strings.Join(kinds, ", ")
	switch {
	case !ok:
		c.fail(pointer, Problem{Expected: "kind", Fix: `"kind": "text"`, Text: "the part has no kind; it is " + all})
	case !slices.Contains(kinds, kind):
		c.fail(pointer+"/kind", Problem{
			Expected: all, Found: strconv.Quote(excerpt.TruncateRunes(kind, 40)),
			Nearest: near(kind, kinds), Fix: `"text"`,
		})
	default:
		c.object(pointer, kind, object, in)
	}
}

func near(name string, known []string) string {
	if found := nearest.Names(name, known, 1); len(found) > 0 {
		return found[0]
	}
	return ""
}

func last(pointer string) string {
	if pointer == "" {
		return "the page"
	}
	part := pointer[strings.LastIndexByte(pointer, '/')+1:]
	if _, err := strconv.Atoi(part); err == nil {
		return last(pointer[:strings.LastIndexByte(pointer, '/')]) + " " + part
	}
	return part
}

func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(excerpt.TruncateRunes(v, 40))
	case json.Number:
		return "the number " + excerpt.TruncateRunes(v.String(), 20)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "null"
}
