package event

import (
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Moment is the time at which a waiting message becomes part of the conversation.
type Moment string

// The moments. MomentNow is the next safe point of the running turn: after the running call, before the next question
// to the model. MomentNext is the start of the next turn. MomentHeld means that the turn did not end normally, and that
// the person decides whether to send the message.
const (
	MomentNow  Moment = "now"
	MomentNext Moment = "next"
	MomentHeld Moment = "kept"
)

// WaitingMessage is a message that was sent while a turn was running. It is the data of message.waiting, which is
// published again with the same ID when the message changes.
type WaitingMessage struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	When  Moment `json:"when"`
	Model string `json:"model"`
	Panel string `json:"panel,omitempty"`
	// Attachments contains texts that were sent with the message. Sources lists the sources of Text, if it is not only
	// the person's.
	Attachments []chat.Attachment `json:"attached,omitempty"`
	Sources     []string          `json:"from,omitempty"`
	// Caller is the caller of the calls to which the message leads. Interactive is true if a person can be asked.
	Caller      toolspec.Caller `json:"caller"`
	Interactive bool            `json:"interactive,omitempty"`
	Asked       time.Time       `json:"asked"`
}

// TakenMessage reports that a waiting message has become part of the conversation.
type TakenMessage struct {
	// ID is the id of the WaitingMessage, Message the id of the chat.Message.
	ID      string `json:"id"`
	Message string `json:"message"`
	// Steered is true if the message was added to a running turn.
	Steered bool      `json:"steered,omitempty"`
	Asked   time.Time `json:"asked"`
}
