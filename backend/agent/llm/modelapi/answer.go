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

// Limits of one answer: a provider is not trusted, and a stream has no natural end.
const (
	maxAnswerBytes = 4 << 20
	maxCalls       = 128
)

// answer is the part of a streamed answer that arrived, in any wire format.
type answer struct {
	onDelta func(llm.Delta)

	text         strings.Builder
	thought      strings.Builder
	think        thinkSplitter
	calls        []*partialCall
	size         int
	pieces       int
	usage        chat.Usage
	cost         *chat.Money
	firstPieceAt time.Time
	// silence is how long the stream may be silent now.
	silence    time.Duration
	stopReason llm.StopReason
	// complete is set when the model announced the end of its answer, done when nothing can follow after that.
	complete, done bool
}

type partialCall struct {
	id, name  string
	signature string
	args      strings.Builder
	// problem is set if the call cannot be what the model intended.
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

// emit adds a piece of reasoning and the piece of text that follows it.
func (a *answer) emit(thought, text string) {
	if thought != "" {
		a.thought.WriteString(thought)
		a.onDelta(llm.Delta{Reasoning: thought})
	}
	if text != "" {
		a.text.WriteString(text)
		a.onDelta(llm.Delta{Text: text})
	}
}

func (a *answer) count(n int) {
	a.size += n
	if n > 0 && a.firstPieceAt.IsZero() {
		a.firstPieceAt = time.Now()
	}
}

func (a *answer) addCall(id, name string) *partialCall {
	a.count(len(name))
	f := &partialCall{id: id, name: name}
	a.calls = append(a.calls, f)
	a.pieces++
	return f
}

func (a *answer) addArguments(f *partialCall, s string) {
	a.count(len(s))
	a.pieces++
	f.args.WriteString(s)
}

func (a *answer) finish(why llm.StopReason) { a.complete, a.stopReason = true, why }

// Without calls, such an answer is malformed.
func (a *answer) finishWithCalls() error {
	if len(a.calls) == 0 {
		return malformed("the answer announces calls, and none came")
	}
	a.finish(llm.StopCalls)
	return nil
}

func (a *answer) checkSize() error {
	if a.size <= maxAnswerBytes && len(a.calls) <= maxCalls {
		return nil
	}
	return &llm.Error{
		Kind:       llm.KindFailed,
		Message:    "The answer was stopped: it is larger than 4 MB or holds more than 128 calls. No call of it ran",
		Suggestion: "Ask for less at once.",
		Err:        errTooLarge,
	}
}

// partial returns the answer so far, without calls. Nothing may be added afterwards.
func (a *answer) partial() llm.Response {
	a.emit(a.think.flush())
	return llm.Response{
		Text:         a.text.String(),
		Reasoning:    a.thought.String(),
		Usage:        clampUsage(a.usage),
		Cost:         a.cost,
		FirstPieceAt: a.firstPieceAt,
	}
}

func (a *answer) response() llm.Response {
	r := a.partial()
	r.Stop = a.stopReason
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
			r.BrokenCalls = append(r.BrokenCalls, llm.BrokenCall{ID: f.id, Name: f.name, Problem: problem})
			continue
		}
		r.Calls = append(r.Calls, chat.ToolCall{ID: f.id, Name: f.name, Args: args, Signature: f.signature})
	}
	if len(r.Calls) > 0 && r.Stop == llm.StopDone {
		r.Stop = llm.StopCalls
	}
	return r
}

// parseArguments returns a call's arguments as a compact object, or a problem. short says that the answer was cut at
// its length limit; then empty text is a problem, otherwise it means no arguments.
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
