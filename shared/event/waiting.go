package event

import (
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Moment is when a waiting message is taken.
type Moment string

// The moments. MomentNow is the next safe point of the running turn: after the running call, before the model
// is asked again. MomentNext is the next turn. MomentHeld is none: its turn did not end normally, so the person
// decides whether the message is still wanted.
const (
	MomentNow  Moment = "now"
	MomentNext Moment = "next"
	MomentHeld Moment = "kept"
)

// WaitingMessage is a message that was sent while a turn ran: the data of message.waiting, which is published again
// with the same ID when the message changes.
type WaitingMessage struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	When  Moment `json:"when"`
	Model string `json:"model"`
	Panel string `json:"panel,omitempty"`
	// Attached is text that was sent with it. From are the sources of its own text where that is not only the
	// person's.
	Attached []chat.Attachment `json:"attached,omitempty"`
	From     []string          `json:"from,omitempty"`
	// Caller asks for the calls that the message leads to. Interactive is true when a person can be asked.
	Caller      toolspec.Caller `json:"caller"`
	Interactive bool            `json:"interactive,omitempty"`
	Asked       time.Time       `json:"asked"`
}

// TakenMessage says that a waiting message has become part of the conversation.
type TakenMessage struct {
	// ID is that of the WaitingMessage, Message that of the chat.Message.
	ID      string `json:"id"`
	Message string `json:"message"`
	// Steered is true when it was taken into a running turn.
	Steered bool      `json:"steered,omitempty"`
	Asked   time.Time `json:"asked"`
}
