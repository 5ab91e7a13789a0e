package wire

import "time"

// FileChange is one change of a file by a tool. Before and After are the blob ids of its content, which are its
// SHA-256 in hexadecimal; the content of a link is its target. "" means that the file did not exist,
// FolderContent that it was a folder, and UnknownContent that its content was not stored.
//
// Owner is the conversation, program or person that made the change, as Provenance.Owner.
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
	// Mode and AfterMode are an fs.FileMode: permissions, and the type of what is not a regular file. 0 means
	// unknown, or that the file did not exist.
	Mode      uint32 `json:"mode"`
	AfterMode uint32 `json:"after_mode,omitempty"`
	// Note says what a person should know about it, "" for nothing.
	Note string    `json:"note,omitempty"`
	Time time.Time `json:"time"`
}

// Values of FileChange.Before and After that are no blob ids.
const (
	FolderContent  = "folder"
	UnknownContent = "-"
)

// Command is a running command that may change files of Folder, which is absolute. The other fields are those
// of the resulting FileChange rows.
type Command struct {
	Call, Tool, Turn, Conversation, Owner, Folder string
	Time                                          time.Time
}

// UndoState says whether a change can be undone.
type UndoState string

// The states of a change: it can be undone, it was undone, or the file was changed again.
const (
	UndoReady    UndoState = "ready"
	UndoDone     UndoState = "undone"
	UndoConflict UndoState = "conflict"
)

// ChangedFile is the total effect of a turn or call on one file, and whether it can be undone.
type ChangedFile struct {
	// Path is absolute. Shown is the path for people, relative to the workspace folder if it is in it.
	Path  string `json:"path"`
	Shown string `json:"shown"`
	// Did is "made", "changed" or "removed".
	Did   string    `json:"did"`
	State UndoState `json:"state"`
	// Why says why it cannot be undone, "" when it can.
	Why string `json:"why,omitempty"`
	// Diff is a unified diff of the text, Added and Removed count its lines. It is "" for a file that is not
	// text or too long; Note says so.
	Diff    string `json:"diff,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Note    string `json:"note,omitempty"`
	// By is ByCommand when a command changed it, "" when only file tools did.
	By string `json:"by,omitempty"`
}

// ByCommand is the ChangedFile.By of a file that a command changed.
const ByCommand = "command"

// Changes is the body of GET /api/changes.
type Changes struct {
	Files []ChangedFile `json:"files"`
	// Calls are those of panels' tools that can be undone, or were.
	Calls []UndoableCall `json:"calls"`
}
