package modelapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
)

// Bounds of one answer. A provider is outside, and a stream has no natural end.
const (
	maxAnswerBytes = 4 << 20
	maxCalls       = 128
)

// answer is what has come of a streamed answer, whatever the wire format.
type answer struct {
	onDelta func(llm.Delta)

	text    strings.Builder
	thought strings.Builder
	think   thinkSplitter
	calls   []*partialCall
	size    int
	// pieces counts what came of calls.
	pieces int
	usage  chat.Usage
	cost   *chat.Money
	// began is when the first piece came.
	firstPieceAt time.Time
	stop         llm.Stop
	// whole is set when the model said that its answer ends; over when nothing follows after that.
	complete, done bool
}

// fragment is a call that may not be whole yet.
type partialCall struct {
	id, name  string
	signature string
	args      strings.Builder
	// problem is set when the call cannot be what the model meant.
	problem string
}

var errTooLarge = errors.New("the answer is larger than 4 MB")

func (a *answer) addText(s string) {
	if s == "" {
		return
	}
	a.count(len(s))
	a.emit(a.think.split(s))
}

func (a *answer) addThought(s string) {
	a.count(len(s))
	a.emit(s, "")
}

// split takes a piece of the thoughts and the piece of the text that follows it.
func (a *answer) emit(thought, text string) {
	if thought != "" {
		a.thought.WriteString(thought)
		a.onDelta(llm.Delta{Thought: thought})
	}
	if text != "" {
		a.text.WriteString(text)
		a.onDelta(llm.Delta{Text: text})
	}
}

// grow notes that a piece of n bytes came.
func (a *answer) count(n int) {
	a.size += n
	if n > 0 && a.firstPieceAt.IsZero() {
		a.firstPieceAt = time.Now()
	}
}

// call begins a call.
func (a *answer) addCall(id, name string) *partialCall {
	a.count(len(name))
	f := &partialCall{id: id, name: name}
	a.calls = append(a.calls, f)
	a.pieces++
	return f
}

// argue adds a piece of a call's arguments.
func (a *answer) addArguments(f *partialCall, s string) {
	a.count(len(s))
	a.pieces++
	f.args.WriteString(s)
}

// end is the model's word that the answer ends, for that reason.
func (a *answer) finish(why llm.Stop) { a.complete, a.stop = true, why }

// bounded is an error when the answer has become too large.
func (a *answer) checkSize() error {
	if a.size <= maxAnswerBytes && len(a.calls) <= maxCalls {
		return nil
	}
	return &llm.Error{
		Kind:       llm.Failed,
		Message:    "The answer was stopped: it is larger than 4 MB or holds more than 128 calls. No call of it ran",
		Suggestion: "Ask for less at once.",
		Err:        errTooLarge,
	}
}

// part is the answer so far, without calls. Nothing is said after it.
func (a *answer) partial() llm.Response {
	a.emit(a.think.flush())
	return llm.Response{Text: a.text.String(), Thought: a.thought.String(), Usage: clampUsage(a.usage), Cost: a.cost, FirstPieceAt: a.firstPieceAt}
}

// response is the whole answer.
func (a *answer) response() llm.Response {
	r := a.partial()
	r.Stop = a.stop
	if r.Stop == "" || r.Stop == llm.StopCalls {
		r.Stop = llm.StopDone
	}
	for _, f := range a.calls {
		args, problem := parseArguments(f.args.String(), r.Stop == llm.StopLength)
		switch {
		case f.problem != "":
			problem = f.problem
		case f.name == "":
			problem = "the call has no name"
		}
		if problem != "" {
			r.Broken = append(r.Broken, llm.BrokenCall{ID: f.id, Name: f.name, Problem: problem})
			continue
		}
		r.Calls = append(r.Calls, chat.ToolCall{ID: f.id, Name: f.name, Args: args, Signature: f.signature})
	}
	if len(r.Calls) > 0 && r.Stop == llm.StopDone {
		r.Stop = llm.StopCalls
	}
	return r
}

// object reads arguments. An empty text means no arguments, but not in an answer that
// was cut at its length: there it may be the start of something.
func parseArguments(text string, short bool) (json.RawMessage, string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed == "null" {
		if short {
			return nil, "the arguments were cut at the answer's length limit"
		}
		return json.RawMessage("{}"), ""
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(trimmed), &fields); err != nil {
		if short {
			return nil, "the arguments were cut at the answer's length limit"
		}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Sprintf("the arguments are not valid JSON at byte %d: %s", syntax.Offset, syntax)
		}
		return nil, "the arguments are not a JSON object"
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, []byte(trimmed)); err != nil {
		return nil, "the arguments are not valid JSON"
	}
	return flat.Bytes(), ""
}
