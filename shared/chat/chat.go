// Package chat defines conversations and their messages and calls, as they are stored and sent to windows and
// models.
package chat

import (
	"encoding/json"
	"time"
)

// Role is who wrote a Message.
type Role string

// The roles of a message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	// RoleNote is a message from Sextant to the model.
	RoleNote Role = "note"
	// RoleSummary replaces the beginning of a conversation in what is sent to the model, once its status is done.
	RoleSummary Role = "summary"
)

// Status is the state of a message or turn.
type Status string

// The states of a message or turn. Interrupted means Sextant ended while it ran.
const (
	StatusRunning     Status = "running"
	StatusDone        Status = "done"
	StatusStopped     Status = "stopped"
	StatusFailed      Status = "failed"
	StatusLimit       Status = "limit"
	StatusInterrupted Status = "interrupted"
)

// Conversation is one thread between a person and the assistant.
type Conversation struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Model   string    `json:"model,omitempty"`
	Status  Status    `json:"status"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Parent is the conversation that gave this one's task to a subagent, ParentCall the call that did; both are
	// empty for a person's own conversation.
	Parent     string `json:"parent,omitempty"`
	ParentCall string `json:"parent_call,omitempty"`
	// Shared is true while other programs may read it over MCP.
	Shared bool `json:"shared,omitempty"`
}

// Message is one entry of a conversation. A RoleTool message answers the call CallID.
type Message struct {
	ID           string     `json:"id"`
	Conversation string     `json:"conversation"`
	Turn         string     `json:"turn"`
	Role         Role       `json:"role"`
	Text         string     `json:"text"`
	Calls        []ToolCall `json:"calls,omitempty"`
	CallID       string     `json:"call_id,omitempty"`
	// Covers is the last message that a RoleSummary message replaces.
	Covers string `json:"covers,omitempty"`
	// Program is true of a message that a program sent.
	Program bool `json:"program,omitempty"`
	// Outside lists the sources of text from outside in Text.
	Outside []string `json:"outside,omitempty"`
	// Offers are commands that the person may have meant. Choosing one puts it into the message input; none runs
	// automatically, and they are not sent to models.
	Offers []Offer `json:"offers,omitempty"`
	// Images belong to Text, for models that accept pictures. They are not stored, so later turns lack them.
	Images []Image `json:"-"`
	// Thought is the reasoning that a model showed before Calls, for services that require it with the results; ""
	// without calls.
	Thought string    `json:"thought,omitempty"`
	Status  Status    `json:"status"`
	Time    time.Time `json:"time"`
}

// Offer is a command that a person may have meant.
type Offer struct {
	// Say is the command. Means says what it does, "" when that is not known.
	Say   string `json:"say"`
	Means string `json:"means,omitempty"`
	// Name is the name on the page of what the command acts on: text from outside.
	Name string `json:"name,omitempty"`
}

// Attachment is text that a person sends to a model with a message. Source is its source, as in Message.Outside;
// Title is one line.
type Attachment struct {
	Source string `json:"source"`
	Title  string `json:"title"`
	Text   string `json:"text"`
}

// Image is a picture for a model.
type Image struct {
	// MIME is image/png or image/jpeg.
	MIME string
	Data []byte
}

// ToolCall is a call that a model asked for. Args is a JSON object.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	// Signature is opaque data that the provider requires back with the call.
	Signature string `json:"signature,omitempty"`
}

// Usage counts tokens as the provider reported them; zero means not reported. Input is everything that was read:
// Cached of it came from the provider's cache, Written of it was added to the cache.
type Usage struct {
	Input   int `json:"input"`
	Output  int `json:"output"`
	Cached  int `json:"cached,omitempty"`
	Written int `json:"written,omitempty"`
}

// Plus returns the sum of u and v.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		Cached: u.Cached + v.Cached, Written: u.Written + v.Written,
	}
}
