package wire

// EditorTab is an open file of the code editor.
type EditorTab struct {
	// Path is absolute. DisplayPath is the path as it is shown to people.
	Path        string `json:"path"`
	DisplayPath string `json:"shown"`
	// Line and Column are the position of the cursor, from 1. TopLine is the first visible line.
	Line    int `json:"line,omitempty"`
	Column  int `json:"column,omitempty"`
	TopLine int `json:"top,omitempty"`
	// Unsaved is true while the text differs from the file.
	Unsaved bool `json:"unsaved,omitempty"`
}

// EditorState contains the open tabs of the code editor and the selection.
type EditorState struct {
	Tabs []EditorTab `json:"tabs"`
	// Active is the path of the active tab, "" for none.
	Active string `json:"active"`
	// Selection is the selected text, cut at 2,000 bytes.
	Selection string `json:"selection,omitempty"`
}

// EditorDraft is unsaved text. Version is the version of the file from which it was edited.
type EditorDraft struct {
	Path    string `json:"path"`
	Text    string `json:"text"`
	Version string `json:"version"`
}

// EditorSession is the state of the code editor that is restored after a restart.
type EditorSession struct {
	State  EditorState   `json:"state"`
	Drafts []EditorDraft `json:"drafts"`
}
