package wire

// Completion is how a message may go on.
type Completion struct {
	Items []CompletionItem `json:"items"`
	// Ghost is what is still missing after the text, "" for nothing: "TEXT into NUMBER".
	Ghost string `json:"ghost,omitempty"`
}

// CompletionItem is one way on.
type CompletionItem struct {
	// Insert stands in place of all that was before the cursor. The cursor goes Back that many
	// UTF-16 units from its end.
	Insert string `json:"insert"`
	Back   int    `json:"back,omitempty"`
	// Show is the form or value, Means what it does or is called, which may be text of a page.
	Show  string `json:"show"`
	Means string `json:"means,omitempty"`
}

// PilotCommand is one way of saying a command of the command pilot.
type PilotCommand struct {
	// Say is the form with its slots in capitals, Example one whole command, Insert its beginning.
	Say     string `json:"say"`
	Example string `json:"example"`
	Insert  string `json:"insert"`
	Means   string `json:"means"`
	Group   string `json:"group"`
	// Tool is what it calls: "" for the pilot itself, "*" for any tool, "open_*_panel" for a panel's.
	Tool string `json:"tool,omitempty"`
	// First is true of the few that show the range of them all.
	First bool `json:"first,omitempty"`
}

// PilotGrammar is every command of the command pilot.
type PilotGrammar struct {
	Commands []PilotCommand `json:"commands"`
}
