// Package chat is the vocabulary of conversations: messages, turns and the calls in
// them, as they are stored, sent to the window and handed to a model. Plain data only.
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
	// RoleNote is what Sextant itself tells the model.
	RoleNote Role = "note"
	// RoleSummary stands for the beginning of a conversation, while its status is done: the model
	// is sent it instead.
	RoleSummary Role = "summary"
)

// Status is how a message or turn ended.
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
	// Parent is the conversation that handed the task of this one to a subagent, and ParentCall the
	// call by which it did; both are empty for a person's own.
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
	// Covers is the last message that a RoleSummary message stands for.
	Covers string `json:"covers,omitempty"`
	// Program is true of a message that a program sent and no person wrote.
	Program bool `json:"program,omitempty"`
	// Outside lists the sources of outside text in Text.
	Outside []string `json:"outside,omitempty"`
	// Offers are commands that the person may have meant. They are put into the message to be sent,
	// and never run by themselves. They are not sent to models.
	Offers []Offer `json:"offers,omitempty"`
	// Images belong to Text, for models that can see. They are not stored: a later turn does without.
	Images []Image `json:"-"`
	// Thought is what a model showed of its thinking before Calls, for services that want it back with
	// their results; "" without calls.
	Thought string    `json:"thought,omitempty"`
	Status  Status    `json:"status"`
	Time    time.Time `json:"time"`
}

// Offer is a command that a person may have meant.
type Offer struct {
	// Say is the command; Means says what it does, "" when that is not known.
	Say   string `json:"say"`
	Means string `json:"means,omitempty"`
	// Name is the page's name of what the command acts on: text from outside.
	Name string `json:"name,omitempty"`
}

// Attached is text that a person gives a model with a message. Source says where it is from, as in
// Message.Outside; Title is one line.
type Attached struct {
	Source string `json:"source"`
	Title  string `json:"title"`
	Text   string `json:"text"`
}

// Image is a picture as it goes to a model.
type Image struct {
	// MIME is image/png or image/jpeg.
	MIME string
	Data []byte
}

// ToolCall is a call as a model asked for it; Args is a JSON object.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	// Signature is what the provider wants back with the call, as it gave it.
	Signature string `json:"signature,omitempty"`
}

// Usage counts tokens as the provider reported them; zero means not reported. Input is all that was
// read: Cached of it came out of the provider's cache, Written of it was put there.
type Usage struct {
	Input   int `json:"input"`
	Output  int `json:"output"`
	Cached  int `json:"cached,omitempty"`
	Written int `json:"written,omitempty"`
}

// Plus is u and v together.
func (u Usage) Plus(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Output: u.Output + v.Output, Cached: u.Cached + v.Cached, Written: u.Written + v.Written}
}
