package app

// Purpose says what a System is opened for.
type Purpose struct {
	// Serve opens the HTTP door.
	Serve bool
	// Private verbs work beside a running Sextant: when it owns the data folder they use an
	// empty one of their own that is removed at the end.
	Private bool
	// AttachURL attaches to a running Chromium instead of starting one.
	AttachURL string
	// ThrowAway gives the browser a profile that goes with it.
	ThrowAway bool
	// WaitMCP waits a moment for MCP servers, for verbs that list tools.
	WaitMCP bool
}
