package wire

// Completion are the possible continuations of a message.
type Completion struct {
	Items []CompletionItem `json:"items"`
	// Ghost is what is still missing after the text ("TEXT into NUMBER"), "" for nothing.
	Ghost string `json:"ghost,omitempty"`
}

// CompletionItem is one continuation.
type CompletionItem struct {
	// Insert replaces everything before the cursor. Afterwards the cursor is Back UTF-16 units before its end.
	Insert string `json:"insert"`
	Back   int    `json:"back,omitempty"`
	// Show is the form or value. Means is what it does or its name, which may be text of a page.
	Show  string `json:"show"`
	Means string `json:"means,omitempty"`
}

// PilotCommand is one form of a command of the command pilot.
type PilotCommand struct {
	// Say is the form with its slots in capitals, Example a complete command, Insert its beginning.
	Say     string `json:"say"`
	Example string `json:"example"`
	Insert  string `json:"insert"`
	Means   string `json:"means"`
	Group   string `json:"group"`
	// Tool is the tool that it calls: "" for none, "*" for any, "open_*_panel" for that of a panel.
	Tool string `json:"tool,omitempty"`
	// First is true of the few that are shown as examples.
	First bool `json:"first,omitempty"`
}

// PilotGrammar holds all commands of the command pilot.
type PilotGrammar struct {
	Commands []PilotCommand `json:"commands"`
}
