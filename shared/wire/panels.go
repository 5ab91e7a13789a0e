package wire

import "time"

// AcceptedPanel is the manifest of a panel that may run: the first one that was found, or the last that a
// person accepted. A manifest that would allow more waits until a person accepts it.
type AcceptedPanel struct {
	// Panel is the panel's id, Hash the SHA-256 of the manifest's normal form in hexadecimal, Manifest its text.
	Panel, Hash, Manifest string
	// Tools are all tools that the panel ever had, by name, with what of each is known. A tool that is removed
	// and added again is therefore not new.
	Tools map[string]string
	// Declined is the hash of a manifest that the person declined, "" for none.
	Declined string
}

// PanelUndo is the request that undoes a call of a panel's tool. Owner is that of the call, as Provenance.Owner.
type PanelUndo struct {
	ID                              int64
	Call, Turn, Conversation, Owner string
	Panel, Tool                     string
	// Did says for a person, in the past tense, what the call did.
	Did string
	// Method, Path (escaped) and Body (JSON, "" for none) are the request.
	Method, Path, Body string
	State              UndoState
	// Why says why an undo failed.
	Why  string
	Time time.Time
}

// UndoableCall is a call of a panel's tool that can be undone, or was.
type UndoableCall struct {
	Call  string `json:"call"`
	Panel string `json:"panel"`
	Tool  string `json:"tool"`
	// Did says in the past tense what the call did.
	Did   string    `json:"did"`
	State UndoState `json:"state"`
	// Why says why an undo was refused or failed, "" when none did.
	Why string `json:"why,omitempty"`
}
