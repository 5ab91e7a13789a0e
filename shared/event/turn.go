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
	// Suggestion says what to do after an error.
	Suggestion string     `json:"suggestion,omitempty"`
	Rounds     int        `json:"rounds,omitempty"`
	Usage      chat.Usage `json:"usage"`
	// Budget names the setting of the budget that ended the turn, "" for none.
	Budget string `json:"budget,omitempty"`
}

// Round is one question to a model and its answer. Usage is the provider's count, all zero when it gave none.
type Round struct {
	// Number counts from 1 within the turn. 0 is a question outside of the rounds; For says what for: how the model
	// writes calls (probe), a summary, a question of an MCP server (server), or requests that were left at the end
	// of a turn (rest).
	Number     int        `json:"number"`
	For        string     `json:"for,omitempty"`
	Model      string     `json:"model"`
	Usage      chat.Usage `json:"usage"`
	Prompt     Prompt     `json:"prompt"`
	DurationMS int64      `json:"duration_ms"`
	// Answer is the length of the answer in bytes, Calls the number of calls in it.
	Answer int  `json:"answer"`
	Calls  int  `json:"calls"`
	Failed bool `json:"failed,omitempty"`
	// Requests are all that were sent for it, including retries and those to another model.
	Requests []Request `json:"requests,omitempty"`
	// Payer is the turn whose call this turn worked for, nil for none.
	Payer *Payer `json:"payer,omitempty"`
}

// Payer is the turn that the costs of another turn count for.
type Payer struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
}

// Request is one request to a model's service.
type Request struct {
	Model string     `json:"model"`
	Usage chat.Usage `json:"usage"`
	// Estimated is the part of Usage that was estimated from lengths.
	Estimated int `json:"estimated,omitempty"`
	// Cost is nil when no price is known.
	Cost *chat.Money `json:"cost,omitempty"`
	// FirstMS is the time until the first piece of the answer in milliseconds, at least 1; 0 when none came.
	FirstMS    int64 `json:"first_ms,omitempty"`
	DurationMS int64 `json:"duration_ms"`
	// Failed is not set for a request that was stopped on this side. Again says that the request before it failed.
	Failed bool `json:"failed,omitempty"`
	Again  bool `json:"again,omitempty"`
}

// Bill returns what the request has cost.
func (r Request) Bill() chat.Bill {
	b := chat.Bill{Usage: r.Usage, Requests: 1, Estimated: r.Estimated}
	if r.Cost == nil {
		b.Unpriced = b.Tokens()
	} else if r.Cost.Nanos > 0 {
		b.Cost = []chat.Money{*r.Cost}
	}
	return b
}

// Prompt are the parts of a question to a model, in bytes.
type Prompt struct {
	// Talk is the system prompt and the messages of people and the model.
	Talk int `json:"talk"`
	// Definitions are those of the offered tools, Results the answers of tools.
	Definitions int `json:"definitions"`
	Results     int `json:"results"`
}

// Delta is a piece of an assistant message, or of the reasoning before it.
type Delta struct {
	Message string `json:"message"`
	Text    string `json:"text"`
}

// Note tells the person about an answer that has not come yet: when it is requested again, that it is continued, or
// that another model answers.
type Note struct {
	// Message is the answer.
	Message string `json:"message"`
	Text    string `json:"text"`
}
