// Package chat defines conversations, messages and tool calls in the form in which they are stored and sent to windows
// and models.
package chat

import (
	"encoding/json"
	"time"
)

// Role identifies the author of a Message.
type Role string

// The roles of a message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	// RoleNote is a message from Sextant to the model.
	RoleNote Role = "note"
	// RoleSummary is a summary. Once its status is done, models are sent it instead of the messages that it covers.
	RoleSummary Role = "summary"
)

// Status is the state of a message or turn.
type Status string

// The states of a message or turn. StatusInterrupted means that Sextant ended while the message or turn was running.
const (
	StatusRunning     Status = "running"
	StatusDone        Status = "done"
	StatusStopped     Status = "stopped"
	StatusFailed      Status = "failed"
	StatusLimit       Status = "limit"
	StatusInterrupted Status = "interrupted"
)

// Conversation is a thread between a person and the assistant, or the thread of a subagent.
type Conversation struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Model   string    `json:"model,omitempty"`
	Status  Status    `json:"status"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Parent and ParentCall are the conversation and the call that started a subagent. Both are empty for a person's
	// own conversation.
	Parent     string `json:"parent,omitempty"`
	ParentCall string `json:"parent_call,omitempty"`
	// Shared is true while other programs may read the conversation over MCP.
	Shared bool `json:"shared,omitempty"`
	// Pinned conversations are listed first, Archived ones apart. Folder is the name of the person's folder, "" for
	// none.
	Pinned   bool   `json:"pinned,omitempty"`
	Archived bool   `json:"archived,omitempty"`
	Folder   string `json:"folder,omitempty"`
}

// Message is one entry of a conversation. A message of RoleTool is the answer to the call with the id CallID.
type Message struct {
	ID           string     `json:"id"`
	Conversation string     `json:"conversation"`
	Turn         string     `json:"turn"`
	Role         Role       `json:"role"`
	Text         string     `json:"text"`
	Calls        []ToolCall `json:"calls,omitempty"`
	CallID       string     `json:"call_id,omitempty"`
	// CoversThrough is the id of the last message that a RoleSummary message replaces.
	CoversThrough string `json:"covers,omitempty"`
	// FromProgram is true for a message that a program sent.
	FromProgram bool `json:"program,omitempty"`
	// Outside lists the sources of the outside text in Text.
	Outside []string `json:"outside,omitempty"`
	// Private lists the private sources of Text (see toolspec.Result.PrivateSources).
	Private []string `json:"private,omitempty"`
	// Offers contains commands that the person may have meant. Choosing a command copies it to the message input
	// without running it. Offers are not sent to models.
	Offers []Offer `json:"offers,omitempty"`
	// Files contains the file that a note attaches, or the pictures of a result.
	Files []File `json:"files,omitempty"`
	// Images contains the pictures of a message in a request. They are loaded from Files.
	Images []Image `json:"-"`
	// Reasoning is what the model wrote before Calls. Some services require it together with the results of the calls.
	// It is "" for a message without calls.
	Reasoning string    `json:"thought,omitempty"`
	Status    Status    `json:"status"`
	Time      time.Time `json:"time"`
}

// Offer is a command that a person may have meant.
type Offer struct {
	// Command is the suggested command. Effect says what it does, "" if that is not known.
	Command string `json:"say"`
	Effect  string `json:"means,omitempty"`
	// TargetName is the name of the element that the command acts on. It is outside text.
	TargetName string `json:"name,omitempty"`
}

// Attachment is text or a file that a person sends to a model with a message. Source has the same form as in
// Message.Outside. Title is one line.
type Attachment struct {
	Source string `json:"source"`
	Title  string `json:"title"`
	Text   string `json:"text"`
	// File is the file from which Text was read, nil for none.
	File *File `json:"file,omitempty"`
}

// Image is a picture for a model.
type Image struct {
	// MIME is image/png or image/jpeg.
	MIME string
	Data []byte
}

// ToolCall is a tool call that a model requested. Args is a JSON object.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	// Signature is opaque data that the provider requires back together with the call.
	Signature string `json:"signature,omitempty"`
}

// Usage counts tokens as reported by the provider; zero means not reported. Input includes Cached, the tokens that came
// from the provider's cache, and CacheWritten, those that were added to it.
type Usage struct {
	Input        int `json:"input"`
	Output       int `json:"output"`
	Cached       int `json:"cached,omitempty"`
	CacheWritten int `json:"written,omitempty"`
}

// Plus returns the sum of u and v.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		Cached: u.Cached + v.Cached, CacheWritten: u.CacheWritten + v.CacheWritten,
	}
}
