// Package dialect is how a model writes tool calls: natively, through its provider, or as text in
// one of three forms that a Parser finds while the answer streams. It also tells a model in its
// system prompt which tools there are (Section), writes calls and results back in the model's own
// form (Print, PrintResults), finds out once which form a model speaks (Prober), and puts all of
// it in front of an llm.Model (Voice).
//
// The three forms, all read whichever of them a model was asked for:
//
//	fenced     a fence of three or more backticks at the start of a line, with the info word tool,
//	           holding return name({…}); (A4)
//	tool_call  <tool_call>{"name": …, "arguments": {…}}</tool_call> (D3)
//	hermes     <tool_call><function=name><parameter=x>value</parameter></function></tool_call>, the
//	           form that newer Qwen models were trained on
//
// # What is a call and what an example
//
// Text is an example, and passed on as text, when it stands in another code fence, in inline code
// (after an odd number of backtick runs in its line), in a line that begins with ">", or in
// <think>…</think> at the start of an answer. A <tool_call> tag in the middle of a line is a call
// only when {, [ or <function= follows; a tag that begins its line always is one. After a call, an answer that goes on with
// <tool_response> invents results: what follows is dropped, never run, and told.
//
// # What is mended and what is not
//
// Mended, because only one meaning is possible: comments, trailing commas, keys without quotes,
// single, back and typographic quotes around strings, raw line breaks and tabs in strings,
// True/False/None, numbers as JavaScript writes them, closing brackets too many, arguments given as a
// string of JSON, the shape {"type":"function","function":{…}}, name=value arguments, several calls in one
// block, a tag opened or closed twice, and a missing end tag when the call before it is whole and
// the answer was not cut.
//
// Never mended, because a value would be guessed: a string or bracket that is not closed, an
// unknown escape such as \d, a key that stands twice, a missing comma, an expression, a variable,
// a name that is not exactly a tool's. Those are Broken, with line, column, what was expected, the nearest names
// and a correct example; the other calls of the answer still run. Nothing is ever evaluated.
package dialect

import (
	"encoding/json"
	"fmt"
)

// Kind is a way of writing calls.
type Kind string

// The kinds. Native is the provider's own function calling.
const (
	Native   Kind = "native"
	Fenced   Kind = "fenced"
	ToolCall Kind = "tool_call"
	Hermes   Kind = "hermes"
)

// Kinds are all of them, in the order in which a model is asked.
func Kinds() []Kind { return []Kind{Native, ToolCall, Hermes, Fenced} }

// Valid reports whether k is one of Kinds.
func (k Kind) Valid() bool {
	return k == Native || k == Fenced || k == ToolCall || k == Hermes
}

// MaxCall is how many bytes one block of calls may have.
const MaxCall = 1 << 20

// maxCalls bounds how many calls one answer may hold, and one block.
const maxCalls = 128

// Call is one complete call of a known tool.
type Call struct {
	Name string
	// Args is a JSON object without white space; its keys keep their order.
	Args json.RawMessage
	// Form is how it was written.
	Form Kind
}

// Broken is what was meant as a call and cannot be run.
type Broken struct {
	// Name is the tool's name as written, "" when there is none that can be read.
	Name string
	// Line and Column say where in the answer, counted from 1, columns in characters.
	Line, Column int
	// Problem is a sentence with the place, for the model; Suggestion shows a correct call.
	Problem    string
	Suggestion string
}

// Event is one thing found in an answer; exactly one field is set.
type Event struct {
	Text   string
	Call   *Call
	Broken *Broken
}

// fault is a problem at a byte of the text that was read.
type fault struct {
	at    int
	want  string
	found string
	name  string
	// soft: what was written is whole and only wrong, so that reading can go on after it.
	soft bool
}

func (f *fault) text(p pos) string {
	s := fmt.Sprintf("line %d, column %d: ", p.line, p.column)
	if f.want == "" {
		return s + f.found
	}
	return s + "expected " + f.want + ", found " + f.found
}

// pos is a place in the answer, both from 1; column counts characters.
type pos struct{ line, column int }

// after is p moved over text.
func (p pos) after(text []byte) pos {
	for _, b := range text {
		p = p.next(b)
	}
	return p
}

func (p pos) next(b byte) pos {
	switch {
	case b == '\n':
		return pos{p.line + 1, 1}
	case b&0xC0 == 0x80:
		return p
	}
	p.column++
	return p
}
