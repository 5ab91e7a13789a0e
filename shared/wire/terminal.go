package wire

// The states of a Terminal. TerminalWaiting is that of the assistant's while its command is judged
// and asked for; TerminalFailed of one that could not be started.
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
	// Assistant is true of the terminals that the assistant's commands run in, confined; else it
	// is a shell of the person's own.
	Assistant bool   `json:"assistant"`
	State     string `json:"state"`
	// Command is what runs or ran last in one of the assistant's.
	Command string `json:"command,omitempty"`
	// Code is the exit code, Reason why it ended when a code does not say it.
	Code   int    `json:"code"`
	Reason string `json:"reason,omitempty"`
	// Shared says that the assistant may read it.
	Shared bool `json:"shared"`
}

// TerminalMessage is what a window sends over /ws/terminals, besides what was typed: that is a
// binary message, the tab as 4 bytes (big-endian) and then the bytes. The first is kind "hello" with
// Token. Then open, stop, again, close, resize, share, watch, leave, and drawn for each output that was put
// on the screen: at most 256 KB are sent before.
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

// TerminalNews is what the window is sent, besides output in the same binary form: kind "tabs" with
// all Tabs whenever one changed; "opened" with the Tab that the window's open has made; "watching"
// with the Tab and how many Bytes of what follows are a replay; "error" with Error.
type TerminalNews struct {
	V     int        `json:"v"`
	Kind  string     `json:"kind"`
	Tab   int        `json:"tab,omitempty"`
	Bytes int        `json:"bytes,omitempty"`
	Tabs  []Terminal `json:"tabs"`
	Error string     `json:"error,omitempty"`
}
