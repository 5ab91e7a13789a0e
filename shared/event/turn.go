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
	// Budget names the setting whose budget ended it, "" when none did.
	Budget string `json:"budget,omitempty"`
}

// Round is one question to a model and its answer, as it was paid for. Usage is the provider's
// count, all zero where it gave none.
type Round struct {
	// Number counts from 1 within the turn; 0 is a question beside the talk, For what: how the model
	// writes calls (probe), a summary, one that an MCP server put (server), or another that a turn ended with (rest).
	Number     int        `json:"number"`
	For        string     `json:"for,omitempty"`
	Model      string     `json:"model"`
	Usage      chat.Usage `json:"usage"`
	Prompt     Prompt     `json:"prompt"`
	DurationMS int64      `json:"duration_ms"`
	// Answer is the length of the answer in bytes, Calls how many calls stood in it.
	Answer int  `json:"answer"`
	Calls  int  `json:"calls"`
	Failed bool `json:"failed,omitempty"`
	// Requests are those that were sent for it, with retries and another model's.
	Requests []Request `json:"requests,omitempty"`
	// Payer is whose call the turn worked for; nil when it worked for nobody's.
	Payer *Payer `json:"payer,omitempty"`
}

// Payer is a turn that others cost.
type Payer struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
}

// Request is one request to a model's service.
type Request struct {
	Model string     `json:"model"`
	Usage chat.Usage `json:"usage"`
	// Estimated is how much of Usage was worked out from lengths.
	Estimated int `json:"estimated,omitempty"`
	// Cost is nil where no price is known.
	Cost *chat.Money `json:"cost,omitempty"`
	// FirstMS is when the first piece of the answer came, at least 1; 0 when none did.
	FirstMS    int64 `json:"first_ms,omitempty"`
	DurationMS int64 `json:"duration_ms"`
	// Failed is not set for one that was stopped from here; Again says that one before it failed.
	Failed bool `json:"failed,omitempty"`
	Again  bool `json:"again,omitempty"`
}

// Bill is what the request came to.
func (r Request) Bill() chat.Bill {
	b := chat.Bill{Usage: r.Usage, Requests: 1, Estimated: r.Estimated}
	if r.Cost == nil {
		b.Unpriced = b.Tokens()
	} else if r.Cost.Nanos > 0 {
		b.Cost = []chat.Money{*r.Cost}
	}
	return b
}

// Prompt is what a question to a model was made of, in bytes.
type Prompt struct {
	// Talk is the system prompt and what people and the model said.
	Talk int `json:"talk"`
	// Definitions describe the tools that were offered; Results are what tools answered.
	Definitions int `json:"definitions"`
	Results     int `json:"results"`
}

// Delta is a piece of an assistant message, or of what was thought before it.
type Delta struct {
	Message string `json:"message"`
	Text    string `json:"text"`
}

// Note is a sentence for the person about an answer that is being waited for: that it is asked for
// again and when, that it is gone on with, who answers in place of whom.
type Note struct {
	// Message is the one that is waited for.
	Message string `json:"message"`
	Text    string `json:"text"`
}
