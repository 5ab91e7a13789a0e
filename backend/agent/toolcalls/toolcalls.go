// Package toolcalls turns the ways in which models write tool calls into one. A model calls tools natively
// (through its provider's function calling) or as text in one of three formats, which a Parser finds while the
// answer streams. The package also lists the tools in the system prompt (PromptSection), writes earlier calls and
// results back in the model's own format (Render), and wraps an llm.Model with all of that (Adapter).
//
// The Parser reads all three text formats, whichever the model was asked for:
//
//	fenced     a fence of three or more backticks at the start of a line, with the info word tool,
//	           around return name({…});
//	tool_call  <tool_call>{"name": …, "arguments": {…}}</tool_call>
//	hermes     <tool_call><function=name><parameter=x>value</parameter></function></tool_call>, the
//	           format newer Qwen models were trained on
//
// # Calls and examples
//
// Text is an example, and passed through as text, inside another code fence, in inline code (after an odd
// number of backtick runs in its line), in a line that begins with ">", and in <think>…</think> at the start of
// an answer. A <tool_call> tag in the middle of a line is a call only if {, [ or <function= follows; a tag that
// begins its line always is. If an answer goes on with <tool_response> after a call, the model is inventing
// results: the rest is dropped, never run, and reported.
//
// # What is repaired
//
// Repaired, because only one meaning is possible: comments, trailing commas, unquoted keys, single, back and
// typographic quotes around strings, raw line breaks and tabs in strings, True/False/None, JavaScript numbers,
// surplus closing brackets, arguments given as a string of JSON, the shape
// {"type":"function","function":{…}}, name=value arguments, several calls in one block, a tag opened or closed
// twice, and a missing end tag if the call before it is complete and the answer was not truncated.
//
// Never repaired, because a value would be guessed: an unclosed string or bracket, an unknown escape such as \d,
// a duplicate key, a missing comma, an expression, a variable, a name that is not exactly a tool's. Those become
// a BrokenCall with line, column, what was expected, the nearest names and a correct example. The calls before it
// and in later blocks still run; after a syntax error the rest of its block is not read. Nothing is ever evaluated.
package toolcalls

import (
	"encoding/json"
	"fmt"
)

// Format is a way of writing tool calls.
type Format string

// The formats. FormatNative is the provider's own function calling.
const (
	FormatNative   Format = "native"
	FormatFenced   Format = "fenced"
	FormatToolCall Format = "tool_call"
	FormatHermes   Format = "hermes"
)

// Formats returns all formats in the order in which a model is probed.
func Formats() []Format { return []Format{FormatNative, FormatToolCall, FormatHermes, FormatFenced} }

// Valid reports whether f is one of Formats.
func (f Format) Valid() bool {
	return f == FormatNative || f == FormatFenced || f == FormatToolCall || f == FormatHermes
}

const maxCall = 1 << 20

const maxCalls = 128

// Call is one complete call of a known tool.
type Call struct {
	Name string
	// Args is a compact JSON object; its keys keep their order.
	Args json.RawMessage
	// Format is the format in which the call was written.
	Format Format
}

// BrokenCall is text that was meant as a call but cannot be run.
type BrokenCall struct {
	// Name is the tool's name as written, "" if there is no readable one.
	Name string
	// Line and Column locate the problem in the answer, from 1; columns count characters.
	Line, Column int
	// Problem says in one sentence, for the model, what is wrong and where. Suggestion says what to do, usually with
	// a correct call.
	Problem    string
	Suggestion string
}

// Event is a piece of text or a call found in an answer. Exactly one field is set.
type Event struct {
	Text       string
	Call       *Call
	BrokenCall *BrokenCall
}

type syntaxError struct {
	at    int
	want  string
	found string
	name  string
	// recoverable: the text is complete and only wrong, so parsing can go on after it.
	recoverable bool
}

func (se *syntaxError) text(p position) string {
	s := fmt.Sprintf("line %d, column %d: ", p.line, p.column)
	if se.want == "" {
		return s + se.found
	}
	return s + "expected " + se.want + ", found " + se.found
}

type position struct{ line, column int }

func (p position) after(text []byte) position {
	for _, b := range text {
		p = p.next(b)
	}
	return p
}

func (p position) next(b byte) position {
	switch {
	case b == '\n':
		return position{p.line + 1, 1}
	case b&0xC0 == 0x80:
		return p
	}
	p.column++
	return p
}
