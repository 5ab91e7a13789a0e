// Package llm reaches language models. Everything above it knows one small interface,
// Model: it is given a Request (what to say and which functions may be called) and
// streams an answer. Providers are told apart by the first part of a model's name
// ("ollama/qwen3", "openai/gpt-5"); a Registry opens them and finds the ones that run on
// this machine.
//
// A Response is complete or it is an error: calls of an answer that was cut are never
// handed out, because half a call must not run. The text that came before the cut is.
//
// The package does not run tools, keep conversations or decide anything.
package llm

import (
	"context"
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// PilotName names the built-in command pilot, which needs no provider.
const PilotName = "pilot"

// Model answers one Request. Implementations may be called concurrently.
//
// Stream calls onDelta from its own goroutine, in order, and never after it returned. It
// returns soon after ctx is done, with ctx's error. On any error the Response holds the
// text so far and no calls.
type Model interface {
	Stream(ctx context.Context, req Request, onDelta func(Delta)) (Response, error)
}

// Placed is what a Model may also tell: the address it is reached at, and whether its service is
// known to have calls of its own, so that nobody needs to find out.
type Placed interface {
	Place() (base string, native bool)
}

// Backed is what a Model may also tell: whether another stands ready to answer in its place.
type Backed interface {
	Backed() bool
}

// Sized is what a Model may also tell: how many tokens it reads at once by what its service says, 0
// when that says nothing. With loaded false it is what the model could read, and the service may have
// loaded it for less. It waits two seconds at most, and remembers.
type Sized interface {
	Window(ctx context.Context) (tokens int, loaded bool)
}

// Request is one question to a model. Every call in Messages must be answered by exactly
// one tool message that follows it; providers refuse anything else.
type Request struct {
	System   string
	Messages []chat.Message
	Tools    []toolspec.Function
	// MaxTokens bounds the answer; 0 leaves it to the provider.
	MaxTokens int
	// Written says that calls are written in the text, so that a text that broke off may hold half of
	// one; such an answer is never continued by another.
	Written bool
	// Alone says that no other model may answer in place of the one that is asked.
	Alone bool
	// Thoughts sends back what the model thought before its calls, where the format has a place for it.
	// Who asks a model of a Registry leaves it: that knows which services want it.
	Thoughts bool
}

// Delta is a piece of the answer: text, a piece of what the model thinks before it answers, or one
// whole call that can start before the answer ends. Such a call is also in the Response, in the same
// order; it has no id, and an answer that breaks off after it takes it back. Note is no part of the
// answer but a sentence for the person about how it is being got: what is waited for, and who answers
// in place of whom.
type Delta struct {
	Text    string
	Thought string
	Note    string
	Call    *chat.ToolCall
}

// Response is a whole answer.
type Response struct {
	Text string
	// Thought is what the model showed of its thinking, which is no part of the answer.
	Thought string
	// Reasoned says that it came in the field in which some services want it back.
	Reasoned bool
	// Calls are complete: a name and a JSON object each.
	Calls []chat.ToolCall
	// Broken are calls that arrived whole but cannot be read; they must be answered, not run.
	Broken []BrokenCall
	Usage  chat.Usage
	Stop   Stop
	// By is the model that answered, where it is not the one that was asked; else "".
	By string
	// Offers are commands that may have been meant, and Outside the sources of outside text that
	// Text quotes. Only the pilot knows them.
	Offers  []chat.Offer
	Outside []string
	// Cost is what the service says that it takes for the answer; nil where it says nothing.
	Cost *chat.Money
	// Made are the requests that were sent for it, in their order, those that failed among them; Usage
	// is theirs together. A Model that sends one and knows no more of it leaves this empty.
	Made []Made
	// began is when its first piece came.
	FirstPieceAt time.Time
}

// Made is one request to a service.
type Made struct {
	// Model is provider/name; Local says that it runs on this machine for nothing.
	Model string
	Local bool
	Usage chat.Usage
	Cost  *chat.Money
	// Bytes is the length of what came: text, thoughts and calls.
	Bytes int
	// First is how long the first piece of the answer took, 0 when none came; Took is the whole.
	First, Took time.Duration
	// Failed is false for an answer that is whole and for one that was stopped from here; Whole is
	// true for the former. Again says that another request for the same answer went before.
	Failed, Whole, Again bool
}

// BrokenCall is a call whose arguments are not a JSON object.
type BrokenCall struct {
	ID   string
	Name string
	// Problem says what is wrong and where, for the model; Suggestion how to write it, "" for the
	// usual advice.
	Problem    string
	Suggestion string
}

// Stop is why a model ended its answer.
type Stop string

// The ends of an answer.
const (
	StopDone   Stop = "done"
	StopCalls  Stop = "calls"
	StopLength Stop = "length"
	StopFilter Stop = "filter"
)
