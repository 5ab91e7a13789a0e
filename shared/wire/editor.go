package wire

// EditorTab is one open file of the code editor.
type EditorTab struct {
	// Path is absolute; Shown is the path for people.
	Path  string `json:"path"`
	Shown string `json:"shown"`
	// Line and Column are the cursor's, from 1. Top is the first visible line.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	Top    int `json:"top,omitempty"`
	// Unsaved is true while the text differs from the file.
	Unsaved bool `json:"unsaved,omitempty"`
}

// EditorState is what is open in the code editor.
type EditorState struct {
	Tabs []EditorTab `json:"tabs"`
	// Active is the path of the tab in front, "" for none.
	Active string `json:"active"`
	// Selection is the selected text, cut at 2,000 characters.
	Selection string `json:"selection,omitempty"`
}

// EditorDraft is unsaved text. Version is that of the file it was made from.
type EditorDraft struct {
	Path    string `json:"path"`
	Text    string `json:"text"`
	Version string `json:"version"`
}

// EditorSession is the state of the code editor that is stored over a restart.
type EditorSession struct {
	State  EditorState   `json:"state"`
	Drafts []EditorDraft `json:"drafts"`
}
