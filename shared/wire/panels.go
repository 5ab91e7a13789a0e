package wire

import "time"

// AcceptedPanel is the manifest of a panel that may run: as it was first found, or as a person
// took it over since. Another one that may do more waits until a person takes it over, too.
type AcceptedPanel struct {
	// Panel is the panel's id, Hash the manifest's normal form (SHA-256, hexadecimal), Manifest its
	// text.
	Panel, Hash, Manifest string
	// Tools are all tools the panel ever had, by name: what of each counts as known. A tool that
	// goes and comes back is not new by that.
	Tools map[string]string
	// Declined is the hash of a manifest that a person declined, "" for none.
	Declined string
}

// PanelUndo is a call of a panel's tool that its panel can take back: the request that does so.
// Owner is whose call it was, as Provenance.Owner has it.
type PanelUndo struct {
	ID                              int64
	Call, Turn, Conversation, Owner string
	Panel, Tool                     string
	// Did says in the past tense what the call did, for a person.
	Did string
	// Method, Path (escaped) and Body (JSON, "" for none) are the request.
	Method, Path, Body string
	State              UndoState
	// Why says what stood in the way of an undo that failed.
	Why  string
	Time time.Time
}

// UndoableCall is a call of a panel's tool that can be taken back, or was.
type UndoableCall struct {
	Call  string `json:"call"`
	Panel string `json:"panel"`
	Tool  string `json:"tool"`
	// Did says in the past tense what the call did.
	Did   string    `json:"did"`
	State UndoState `json:"state"`
	// Why says why an undo was refused or failed, "" when none was.
	Why string `json:"why,omitempty"`
}
