// Package llm is the contract between the agent and language models. A Model gets a Request (the conversation and the
// functions that may be called) and streams an answer. Models are named provider/name ("ollama/qwen3", "openai/gpt-5").
// Package modelapi speaks the wire formats; package providers opens models by name.
//
// A Response is complete or it is an error: calls of an answer that broke off are not returned, because half a call
// must not run.
//
// The package does not run tools, store conversations or decide anything.
package llm

import (
	"context"
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// PilotName names the built-in command pilot, which needs no provider.
const PilotName = "pilot"

// Model answers one Request. Implementations are safe for concurrent use.
//
// Stream calls onDelta in the caller's goroutine, in order. It returns soon after ctx is done, with ctx's error. With
// an error, the Response contains the text so far and no calls.
type Model interface {
	Stream(ctx context.Context, req Request, onDelta func(Delta)) (Response, error)
}

// EndpointReporter is an optional interface of a Model. Endpoint returns the address of its service, and whether
// that service is known to support native tool calls and so need not be probed.
type EndpointReporter interface {
	Endpoint() (base string, native bool)
}

// FallbackReporter is an optional interface of a Model. HasFallback reports whether another model can answer
// in its place.
type FallbackReporter interface {
	HasFallback() bool
}

// ContextWindowReporter is an optional interface of a Model. ContextWindow returns the size of its context window in
// tokens, 0 if unknown. With loaded true that size applies to requests; otherwise it is the largest that the model
// supports, and the server may have loaded it with less.
type ContextWindowReporter interface {
	ContextWindow(ctx context.Context) (tokens int, loaded bool)
}

// Request is one question to a model. Each call in Messages must be answered by exactly one tool message
// after it; providers refuse anything else.
type Request struct {
	System   string
	Messages []chat.Message
	Tools    []toolspec.Function
	// MaxTokens limits the answer; 0 leaves it to the provider.
	MaxTokens int
	// CallsInText says that calls are written in the text. An answer that broke off may then contain half a call, so it
	// is never resumed.
	CallsInText bool
	// NoFallback says that no other model may answer instead.
	NoFallback bool
	// SendReasoning sends the model's reasoning before its calls back, if the wire format has a field for it. Models
	// of package providers set it themselves for the services that want it.
	SendReasoning bool
}

// Delta is a piece of an answer: text, reasoning, or one whole call that may start before the answer ends. Such a call
// has no id; it is also in the Response. If the answer breaks off, the call must be discarded. Note is not part of the
// answer: it tells the user what is being waited for, or which model answers instead.
type Delta struct {
	Text      string
	Reasoning string
	Note      string
	Call      *chat.ToolCall
}

// Response is an answer; it is complete if Stream returned no error.
type Response struct {
	Text string
	// Reasoning is the reasoning that the model showed. It is not part of the answer.
	Reasoning string
	// HasReasoningField says that Reasoning came in the field in which some services want it back.
	HasReasoningField bool
	// Calls are complete: each has a name and a JSON object of arguments.
	Calls []chat.ToolCall
	// BrokenCalls are calls that cannot be run, because they cannot be parsed or were cut at the answer's length limit.
	// They must be answered.
	BrokenCalls []BrokenCall
	Usage       chat.Usage
	Stop        StopReason
	// AnsweredBy is the model that answered instead of the requested one, else "".
	AnsweredBy string
	// Offers are commands that the user may have meant, and Outside the sources of outside text quoted in Text. Only
	// the pilot sets them.
	Offers  []chat.Offer
	Outside []string
	// Cost is the price that the service reported for the last request, nil if it reported none.
	Cost *chat.Money
	// Requests are the requests sent for the answer, including failed ones; Usage is their sum. A Model that sends one
	// request may leave it empty.
	Requests []SentRequest
	// FirstPieceAt is the time when the first piece arrived; the zero Time if unknown.
	FirstPieceAt time.Time
}

// SentRequest describes one request to a service.
type SentRequest struct {
	// Model is provider/name. Local says that the server is on this machine; then the request costs nothing unless a
	// price is set.
	Model string
	Local bool
	Usage chat.Usage
	Cost  *chat.Money
	// Bytes is the length of the answer: text, reasoning and calls.
	Bytes int
	// FirstPieceAfter is the time until the first piece of the answer, 0 if none came. Duration is the total time.
	FirstPieceAfter, Duration time.Duration
	// Failed is false for a complete answer and for one that we stopped; Complete is true for the former. Retry says
	// that it was not the first request for this answer.
	Failed, Complete, Retry bool
}

// BrokenCall is a call that cannot be run, such as one whose arguments are not a JSON object.
type BrokenCall struct {
	ID   string
	Name string
	// Problem tells the model what is wrong and where. Suggestion says how to correct it, "" for the default advice.
	Problem    string
	Suggestion string
}

// StopReason is why a model ended its answer.
type StopReason string

// Reasons why an answer ended.
const (
	StopDone   StopReason = "done"
	StopCalls  StopReason = "calls"
	StopLength StopReason = "length"
	StopFilter StopReason = "filter"
)
