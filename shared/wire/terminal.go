package wire

// The states of a Terminal. TerminalWaiting means that a command of the assistant waits for approval, and
// TerminalFailed that the terminal could not be started.
const (
	TerminalIdle    = "idle"
	TerminalWaiting = "waiting"
	TerminalRunning = "running"
	TerminalEnded   = "ended"
	TerminalFailed  = "failed"
)

// Terminal is a tab of the terminal panel.
type Terminal struct {
	Tab int `json:"tab"`
	// Assistant is true for a terminal of the assistant's commands, which run in the sandbox. Otherwise the terminal is
	// a shell of the person.
	Assistant bool   `json:"assistant"`
	State     string `json:"state"`
	// Command is the assistant's running or last command, "" in a shell of the person.
	Command string `json:"command,omitempty"`
	// ExitCode is the exit code. Reason says why the command ended if the exit code does not.
	ExitCode int    `json:"code"`
	Reason   string `json:"reason,omitempty"`
	// Shared is true if the assistant may read the terminal.
	Shared bool `json:"shared"`
}

// TerminalMessage is a JSON message of a window over /ws/terminals. The first has the kind "hello" and Token. Later
// kinds are open, stop, again, close, resize, share, watch, leave and drawn. The window sends "drawn" for each output
// that it has drawn; the server sends at most 256 KB ahead. Typed text is a binary message instead: the tab as 4 bytes
// (big-endian), then the text.
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

// TerminalUpdate is a JSON message to a window. Kind is "tabs" with all Tabs after a change, "opened" with the Tab that
// the window opened, "watching" with the Tab and the number of Bytes of output that follow as a replay, or "error" with
// Error. Output is a binary message in the same form as typed text.
type TerminalUpdate struct {
	V     int        `json:"v"`
	Kind  string     `json:"kind"`
	Tab   int        `json:"tab,omitempty"`
	Bytes int        `json:"bytes,omitempty"`
	Tabs  []Terminal `json:"tabs"`
	Error string     `json:"error,omitempty"`
}
