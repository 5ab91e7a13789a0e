package wire

import "time"

// FileChange is one change of a file by a tool. Before and After are blob ids of its content,
// which are also the SHA-256 of it in hexadecimal; of a link the content is where it leads. "" is
// a file that was not there, KeptFolder a folder, and NotKept one whose content nobody kept.
//
// Owner is whose change it was: a conversation's, or else a program's or a person's.
type FileChange struct {
	ID           int64  `json:"id"`
	Tool         string `json:"tool"`
	Call         string `json:"call"`
	Turn         string `json:"turn,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Owner        string `json:"owner,omitempty"`
	Path         string `json:"path"`
	Before       string `json:"before,omitempty"`
	After        string `json:"after,omitempty"`
	// Mode and AfterMode are fs.FileMode: permissions, and the kind of what is no file. 0 is
	// not known, or not there.
	Mode      uint32 `json:"mode"`
	AfterMode uint32 `json:"after_mode,omitempty"`
	// Note says what a person should know of it, "" for nothing.
	Note string    `json:"note,omitempty"`
	Time time.Time `json:"time"`
}

// What stands in Before and After instead of a blob's id.
const (
	KeptFolder = "folder"
	NotKept    = "-"
)

// Command is a command that runs and may change files of Folder, which is absolute. The other
// fields are those of the FileChange rows that come of it.
type Command struct {
	Call, Tool, Turn, Conversation, Owner, Folder string
	Time                                          time.Time
}

// UndoState is whether a change can be taken back.
type UndoState string

// The states of a changed file: as the change left it, as it was before, or something else now.
const (
	UndoReady    UndoState = "ready"
	UndoDone     UndoState = "undone"
	UndoConflict UndoState = "conflict"
)

// ChangedFile is what a turn or a call did to one file in the end, and whether it can be undone.
type ChangedFile struct {
	// Path is absolute; Shown is it for people, from the workspace folder when it lies in it.
	Path  string `json:"path"`
	Shown string `json:"shown"`
	// Did is "made", "changed" or "removed".
	Did   string    `json:"did"`
	State UndoState `json:"state"`
	// Why says what stands in the way, "" when nothing does.
	Why string `json:"why,omitempty"`
	// Diff is unified: what was done to the text. Added and Removed count its lines. It is ""
	// for what is no text or too long; Note says so.
	Diff    string `json:"diff,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Note    string `json:"note,omitempty"`
	// By is "command" when a command changed it, "" when only tools for files did.
	By string `json:"by,omitempty"`
}

// ByCommand is ChangedFile.By of what a command changed.
const ByCommand = "command"

// Changes is the body of GET /api/changes.
type Changes struct {
	Files []ChangedFile `json:"files"`
	// Calls are those of panels' tools that can be taken back, or were.
	Calls []UndoableCall `json:"calls"`
}
