package event

import (
	"time"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Moment is when a message that waits is taken.
type Moment string

// The moments: MomentNow is the next safe point of the running turn (after the call that runs,
// before the model is asked again), MomentNext the turn after it. MomentKept is none: its turn
// was not done, and nobody knows whether the message still holds.
const (
	MomentNow  Moment = "now"
	MomentNext Moment = "next"
	MomentKept Moment = "kept"
)

// Waiting is a message that was sent while a turn ran: the data of message.waiting, which comes
// again with the same ID when it is changed.
type Waiting struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	When  Moment `json:"when"`
	Model string `json:"model"`
	Panel string `json:"panel,omitempty"`
	// Attached is text that goes with it, From the sources of its own words where they are not the
	// person's alone.
	Attached []chat.Attached `json:"attached,omitempty"`
	From     []string        `json:"from,omitempty"`
	// Caller is who asks for the calls that come of it; Interactive is true when a person can be asked.
	Caller      toolspec.Caller `json:"caller"`
	Interactive bool            `json:"interactive,omitempty"`
	Asked       time.Time       `json:"asked"`
}

// Taken says that a message that waited is now part of the conversation.
type Taken struct {
	// ID is that of the Waiting, Message that of the chat.Message it became.
	ID      string `json:"id"`
	Message string `json:"message"`
	// Steered is true when it was taken into a running turn.
	Steered bool      `json:"steered,omitempty"`
	Asked   time.Time `json:"asked"`
}
