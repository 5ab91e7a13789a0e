package event

import (
	"sextant/shared/chat"
)

// Turn is the data of turn.started and turn.ended.
type Turn struct {
	ID     string      `json:"id"`
	Model  string      `json:"model,omitempty"`
	Status chat.Status `json:"status"`
	Error  string      `json:"error,omitempty"`
	// Suggestion says what the person can do after an error.
	Suggestion string     `json:"suggestion,omitempty"`
	Rounds     int        `json:"rounds,omitempty"`
	Usage      chat.Usage `json:"usage"`
	// Budget is the key of the budget's setting if a budget ended the turn, otherwise "".
	Budget string `json:"budget,omitempty"`
	// Unattended is true for a turn that no person started.
	Unattended bool `json:"unattended,omitempty"`
}

// Round is a question to a model with its answer. Usage is the provider's count, all zero if it reported none.
type Round struct {
	// Number counts from 1 within the turn. It is 0 for a question outside of the rounds, which has a Purpose: "probe"
	// (how the model writes calls), "summary", "server" (a question of an MCP server), "title" (of the conversation)
	// or "rest" (requests that were left at the end of a turn).
	Number     int        `json:"number"`
	Purpose    string     `json:"for,omitempty"`
	Model      string     `json:"model"`
	Usage      chat.Usage `json:"usage"`
	Prompt     Prompt     `json:"prompt"`
	DurationMS int64      `json:"duration_ms"`
	// AnswerBytes is the length of the answer in bytes. Calls is the number of calls in it.
	AnswerBytes int  `json:"answer"`
	Calls       int  `json:"calls"`
	Failed      bool `json:"failed,omitempty"`
	// Requests contains all requests that were sent for the round, including retries and requests to another model.
	Requests []Request `json:"requests,omitempty"`
	// Payer is the turn that made the call for which this turn ran, nil for none.
	Payer *Payer `json:"payer,omitempty"`
}

// Payer identifies the turn to which the costs of another turn are charged.
type Payer struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
}

// Request is one request to a model service.
type Request struct {
	Model string     `json:"model"`
	Usage chat.Usage `json:"usage"`
	// Estimated is the number of tokens of Usage that were estimated from text lengths.
	Estimated int `json:"estimated,omitempty"`
	// Cost is nil if no price is known.
	Cost *chat.Money `json:"cost,omitempty"`
	// FirstChunkMS is the time until the first piece of the answer in milliseconds, at least 1. It is 0 if none
	// arrived.
	FirstChunkMS int64 `json:"first_ms,omitempty"`
	DurationMS   int64 `json:"duration_ms"`
	// Failed is false for a request that Sextant stopped. Retry is true if the request before it failed.
	Failed bool `json:"failed,omitempty"`
	Retry  bool `json:"again,omitempty"`
}

// Bill returns the cost of the request.
func (r Request) Bill() chat.Bill {
	b := chat.Bill{Usage: r.Usage, Requests: 1, Estimated: r.Estimated}
	if r.Cost == nil {
		b.Unpriced = b.Tokens()
	} else if r.Cost.Nanos > 0 {
		b.Cost = []chat.Money{*r.Cost}
	}
	return b
}

// Prompt contains the sizes of the parts of a prompt, in bytes.
type Prompt struct {
	// Messages is the size of the system prompt and of the messages of people and the model.
	Messages int `json:"talk"`
	// Definitions is the size of the tool definitions, Results that of the tool results.
	Definitions int `json:"definitions"`
	Results     int `json:"results"`
}

// Delta is a piece of an assistant message, or of the reasoning before it.
type Delta struct {
	Message string `json:"message"`
	Text    string `json:"text"`
}

// Note tells the person about a delayed answer: when it will be requested again, that it is being continued, or that
// another model answers.
type Note struct {
	// Message is the id of the answer.
	Message string `json:"message"`
	Text    string `json:"text"`
}
