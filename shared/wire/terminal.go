package wire

// The states of a Terminal. TerminalWaiting means that the assistant's command waits for permission,
// TerminalFailed that the terminal could not be started.
const (
	TerminalIdle    = "idle"
	TerminalWaiting = "waiting"
	TerminalRunning = "running"
	TerminalEnded   = "ended"
	TerminalFailed  = "failed"
)

// Terminal is one tab of the terminal panel.
type Terminal struct {
	Tab int `json:"tab"`
	// Assistant is true of a terminal for the assistant's commands, which run in the sandbox; else it is a
	// shell of the person's.
	Assistant bool   `json:"assistant"`
	State     string `json:"state"`
	// Command is the running or last command in one of the assistant's.
	Command string `json:"command,omitempty"`
	// Code is the exit code. Reason says why it ended when the code does not.
	Code   int    `json:"code"`
	Reason string `json:"reason,omitempty"`
	// Shared says that the assistant may read it.
	Shared bool `json:"shared"`
}

// TerminalMessage is what a window sends over /ws/terminals besides typed text, which is a binary message: the
// tab as 4 bytes (big-endian), then the bytes. The first is of kind "hello" with Token. Then come open, stop,
// again, close, resize, share, watch, leave, and drawn for each output that was drawn: at most 256 KB are sent
// ahead of it.
type TerminalMessage struct {
	V       int    `json:"v"`
	Kind    string `json:"kind"`
	Token   string `json:"token,omitempty"`
	Tab     int    `json:"tab,omitempty"`
	Columns uint16 `json:"columns,omitempty"`
	Rows    uint16 `json:"rows,omitempty"`
	Bytes   int    `json:"bytes,omitempty"`
	Shared  bool   `json:"shared,omitempty"`
}

// TerminalUpdate is what a window receives besides output in the same binary form. Kind is "tabs" with all Tabs
// when one changed, "opened" with the Tab that the window opened, "watching" with the Tab and how many Bytes of
// what follows are a replay, or "error" with Error.
type TerminalUpdate struct {
	V     int        `json:"v"`
	Kind  string     `json:"kind"`
	Tab   int        `json:"tab,omitempty"`
	Bytes int        `json:"bytes,omitempty"`
	Tabs  []Terminal `json:"tabs"`
	Error string     `json:"error,omitempty"`
}
