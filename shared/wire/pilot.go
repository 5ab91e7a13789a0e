package wire

// Completion contains the possible continuations of a message.
type Completion struct {
	Items []CompletionItem `json:"items"`
	// Ghost is the part that is still missing after the text ("TEXT into NUMBER"), "" for none. The window shows it in
	// gray.
	Ghost string `json:"ghost,omitempty"`
}

// CompletionItem is one possible continuation.
type CompletionItem struct {
	// Insert replaces all text before the cursor. The cursor is then placed Back UTF-16 units before the end of Insert.
	Insert string `json:"insert"`
	Back   int    `json:"back,omitempty"`
	// Label is the command form or value to show. Detail is its effect, or its name, which may be text of a page.
	Label  string `json:"show"`
	Detail string `json:"means,omitempty"`
}

// PilotCommand is one form of a command of the command pilot.
type PilotCommand struct {
	// Form is the command with its slots in capitals. Example is a complete command, and Insert the beginning of one.
	Form    string `json:"say"`
	Example string `json:"example"`
	Insert  string `json:"insert"`
	Effect  string `json:"means"`
	Group   string `json:"group"`
	// Tool is the tool that the command calls: "" for none, "*" for any, "open_*_panel" for the tool that opens a
	// panel.
	Tool string `json:"tool,omitempty"`
	// Featured is true for the few commands that are shown as examples.
	Featured bool `json:"first,omitempty"`
}

// PilotGrammar contains all commands of the command pilot.
type PilotGrammar struct {
	Commands []PilotCommand `json:"commands"`
}
