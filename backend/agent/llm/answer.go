package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sextant/shared/chat"
)

// Bounds of one answer. A provider is outside, and a stream has no natural end.
const (
	maxAnswerBytes = 4 << 20
	maxCalls       = 128
)

// answer is what has come of a streamed answer, whatever the wire format.
type answer struct {
	onDelta func(Delta)

	text    strings.Builder
	thought strings.Builder
	tag     tag
	calls   []*fragment
	size    int
	// pieces counts what came of calls.
	pieces int
	usage  chat.Usage
	cost   *chat.Money
	// began is when the first piece came.
	began time.Time
	stop  Stop
	// whole is set when the model said that its answer ends; over when nothing follows after that.
	whole, over bool
}

// fragment is a call that may not be whole yet.
type fragment struct {
	id, name  string
	signature string
	args      strings.Builder
	// problem is set when the call cannot be what the model meant.
	problem string
}

var errTooMuch = errors.New("the answer is larger than 4 MB")

func (a *answer) say(s string) {
	if s == "" {
		return
	}
	a.grow(len(s))
	a.split(a.tag.split(s))
}

func (a *answer) think(s string) {
	a.grow(len(s))
	a.split(s, "")
}

// split takes a piece of the thoughts and the piece of the text that follows it.
func (a *answer) split(thought, text string) {
	if thought != "" {
		a.thought.WriteString(thought)
		a.onDelta(Delta{Thought: thought})
	}
	if text != "" {
		a.text.WriteString(text)
		a.onDelta(Delta{Text: text})
	}
}

// grow notes that a piece of n bytes came.
func (a *answer) grow(n int) {
	a.size += n
	if n > 0 && a.began.IsZero() {
		a.began = time.Now()
	}
}

// call begins a call.
func (a *answer) call(id, name string) *fragment {
	a.grow(len(name))
	f := &fragment{id: id, name: name}
	a.calls = append(a.calls, f)
	a.pieces++
	return f
}

// argue adds a piece of a call's arguments.
func (a *answer) argue(f *fragment, s string) {
	a.grow(len(s))
	a.pieces++
	f.args.WriteString(s)
}

// end is the model's word that the answer ends, for that reason.
func (a *answer) end(why Stop) { a.whole, a.stop = true, why }

// bounded is an error when the answer has become too large.
func (a *answer) bounded() error {
	if a.size <= maxAnswerBytes && len(a.calls) <= maxCalls {
		return nil
	}
	return &Error{
		Kind:       Failed,
		Message:    "The answer was stopped: it is larger than 4 MB or holds more than 128 calls. No call of it ran",
		Suggestion: "Ask for less at once.",
		Err:        errTooMuch,
	}
}

// part is the answer so far, without calls. Nothing is said after it.
func (a *answer) part() Response {
	a.split(a.tag.rest())
	return Response{Text: a.text.String(), Thought: a.thought.String(), Usage: sane(a.usage), Cost: a.cost, began: a.began}
}

// response is the whole answer.
func (a *answer) response() Response {
	r := a.part()
	r.Stop = a.stop
	if r.Stop == "" || r.Stop == StopCalls {
		r.Stop = StopDone
	}
	for _, f := range a.calls {
		args, problem := object(f.args.String(), r.Stop == StopLength)
		switch {
		case f.problem != "":
			problem = f.problem
		case f.name == "":
			problem = "the call has no name"
		}
		if problem != "" {
			r.Broken = append(r.Broken, BrokenCall{ID: f.id, Name: f.name, Problem: problem})
			continue
		}
		r.Calls = append(r.Calls, chat.ToolCall{ID: f.id, Name: f.name, Args: args, Signature: f.signature})
	}
	if len(r.Calls) > 0 && r.Stop == StopDone {
		r.Stop = StopCalls
	}
	return r
}

// object reads arguments. An empty text means no arguments, but not in an answer that
// was cut at its length: there it may be the start of something.
func object(text string, short bool) (json.RawMessage, string) {
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
