package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"

	"sextant/shared/chat"
)

// Bounds of one answer. A provider is outside, and a stream has no natural end.
const (
	maxAnswerBytes = 4 << 20
	maxCalls       = 128
)

// assembly puts the chunks of one streamed answer together. Calls come in fragments: the
// first has id and name, the others continue the arguments. Servers differ in the index
// (some send 0 for every call), so a new id at a known index begins a new call.
type assembly struct {
	text   strings.Builder
	calls  []fragment
	at     map[int64]int
	size   int
	usage  chat.Usage
	reason string
}

type fragment struct {
	id, name string
	args     strings.Builder
}

var errTooMuch = errors.New("the answer is larger than 4 MB")

// add takes one chunk and returns the new text in it.
func (a *assembly) add(c openai.ChatCompletionChunk) (string, error) {
	if c.Usage.PromptTokens > 0 || c.Usage.CompletionTokens > 0 {
		a.usage = chat.Usage{
			Input:  int(c.Usage.PromptTokens),
			Output: int(c.Usage.CompletionTokens),
			Cached: int(c.Usage.PromptTokensDetails.CachedTokens),
		}
	}
	var text string
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		piece := choice.Delta.Content + choice.Delta.Refusal
		a.size += len(piece)
		a.text.WriteString(piece)
		text += piece
		for _, t := range choice.Delta.ToolCalls {
			a.fragment(t)
		}
		if choice.FinishReason != "" {
			a.reason = choice.FinishReason
		}
	}
	if a.size > maxAnswerBytes || len(a.calls) > maxCalls {
		return text, &Error{
			Kind:       Failed,
			Message:    "The answer was stopped: it is larger than 4 MB or holds more than 128 calls. No call of it ran",
			Suggestion: "Ask for less at once.",
			Err:        errTooMuch,
		}
	}
	return text, nil
}

func (a *assembly) fragment(t openai.ChatCompletionChunkChoiceDeltaToolCall) {
	i, known := a.at[t.Index]
	if known && t.ID != "" && a.calls[i].id != "" && t.ID != a.calls[i].id {
		known = false
	}
	if !known {
		if a.at == nil {
			a.at = map[int64]int{}
		}
		a.calls = append(a.calls, fragment{})
		i = len(a.calls) - 1
		a.at[t.Index] = i
	}
	f := &a.calls[i]
	if f.id == "" {
		f.id = t.ID
	}
	// The name comes whole with the first fragment; some servers repeat it in each.
	if f.name == "" {
		f.name = t.Function.Name
	}
	a.size += len(t.Function.Arguments)
	f.args.WriteString(t.Function.Arguments)
}

// finished reports whether the model said that its answer is whole.
func (a *assembly) finished() bool { return a.reason != "" }

func (a *assembly) response() Response {
	r := Response{Text: a.text.String(), Usage: a.usage, Stop: StopDone}
	switch a.reason {
	case "length":
		r.Stop = StopLength
	case "content_filter":
		r.Stop = StopFilter
	}
	for i := range a.calls {
		f := &a.calls[i]
		args, problem := object(f.args.String(), r.Stop == StopLength)
		if f.name == "" {
			problem = "the call has no name"
		}
		if problem != "" {
			r.Broken = append(r.Broken, BrokenCall{ID: f.id, Name: f.name, Problem: problem})
			continue
		}
		r.Calls = append(r.Calls, chat.ToolCall{ID: f.id, Name: f.name, Args: args})
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
