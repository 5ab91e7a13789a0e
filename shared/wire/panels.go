package wire

import "time"

// AcceptedPanel is the manifest under which a panel runs: the first one found, or a later one that a person accepted or
// that allows no more. A manifest that would allow more is not used until a person accepts it, except for changed tools
// of a panel that the person is developing.
type AcceptedPanel struct {
	// Panel is the id of the panel. Manifest is the text of the manifest, and Hash its SHA-256 in hexadecimal.
	Panel, Hash, Manifest string
	// Tools maps the name of each tool that the panel ever had to its known definition, so that a tool that is removed
	// and added again is not treated as new.
	Tools map[string]string
	// Declined is the hash of the manifest that the person declined, "" for none.
	Declined string
}

// PanelUndo is a request that undoes a call of a panel's tool. Owner is the owner of the call, as Provenance.Owner.
type PanelUndo struct {
	ID                              int64
	Call, Turn, Conversation, Owner string
	Panel, Tool                     string
	// Sentence tells a person in the past tense what the call did.
	Sentence string
	// Method, Path (escaped) and Body (JSON, "" for none) form the request.
	Method, Path, Body string
	State              UndoState
	// Reason says why an undo failed, "" if none did.
	Reason string
	Time   time.Time
}

// UndoableCall is a call of a panel's tool that can be undone or was undone.
type UndoableCall struct {
	Call  string `json:"call"`
	Panel string `json:"panel"`
	Tool  string `json:"tool"`
	// Sentence tells a person in the past tense what the call did.
	Sentence string    `json:"did"`
	State    UndoState `json:"state"`
	// Reason says why an undo was refused or failed, "" if none was.
	Reason string `json:"why,omitempty"`
}
