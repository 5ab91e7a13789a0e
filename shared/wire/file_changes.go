package wire

import "time"

// FileChange is a change of a file by a tool. Before and After are the blob ids of the old and new content. A blob id
// is the SHA-256 of the content in hexadecimal; the content of a link is its target. Instead of a blob id, "" means
// that the file did not exist, FolderContent that it was a folder, and UnknownContent that its content was not stored.
//
// Owner identifies who made the change, as Provenance.Owner does.
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
	// Mode and AfterMode are values of fs.FileMode: the permissions, and the type if it is not a regular file. 0 means
	// that the mode is unknown or that the file did not exist.
	Mode      uint32 `json:"mode"`
	AfterMode uint32 `json:"after_mode,omitempty"`
	// Note is a remark about the change for a person, "" for none.
	Note string    `json:"note,omitempty"`
	Time time.Time `json:"time"`
}

// Values of FileChange.Before and After that are not blob ids.
const (
	FolderContent  = "folder"
	UnknownContent = "-"
)

// Command is a running command that may change files in Folder, which is an absolute path. The other fields are copied
// to the FileChange rows of its changes.
type Command struct {
	Call, Tool, Turn, Conversation, Owner, Folder string
	Time                                          time.Time
}

// UndoState says whether a change can be undone.
type UndoState string

// The states of a change. UndoReady means that it can be undone, UndoDone that it was undone, and UndoConflict that it
// cannot be undone: the file was changed again, or its old content is not stored.
const (
	UndoReady    UndoState = "ready"
	UndoDone     UndoState = "undone"
	UndoConflict UndoState = "conflict"
)

// ChangedFile is the total effect of a turn or call on one file.
type ChangedFile struct {
	// Path is absolute. DisplayPath is the path as it is shown to people: relative to the workspace folder for a file
	// in it.
	Path        string `json:"path"`
	DisplayPath string `json:"shown"`
	// Change is "made", "changed" or "removed".
	Change string    `json:"did"`
	State  UndoState `json:"state"`
	// Reason says why State is UndoConflict, "" in other states.
	Reason string `json:"why,omitempty"`
	// Diff is a unified diff of the text; Added and Removed count its lines. Diff is "" if the file is not text or is
	// too long, and Note then says so.
	Diff    string `json:"diff,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Note    string `json:"note,omitempty"`
	// ChangedBy is ChangedByCommand if a command changed the file, "" if only file tools did.
	ChangedBy string `json:"by,omitempty"`
}

// ChangedByCommand is the value of ChangedFile.ChangedBy for a file that a command changed.
const ChangedByCommand = "command"

// Changes is the response of GET /api/changes.
type Changes struct {
	Files []ChangedFile `json:"files"`
	// Calls contains the calls of panels' tools that can be undone or were undone.
	Calls []UndoableCall `json:"calls"`
}
