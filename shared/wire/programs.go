package wire

import "time"

// Programs is how other programs reach this Sextant over MCP, and which are there now. It holds the
// token, and goes to the person's windows only.
type Programs struct {
	// Command and Args start `sextant mcp`, which joins this Sextant.
	Command string   `json:"command"`
	Args    []string `json:"args"`
	// URL is where MCP is spoken over HTTP, and Token opens it; both hold until this Sextant ends.
	URL   string `json:"url"`
	Token string `json:"token"`
	// Session is a fresh name for ?session=, so that a program configured with it has tabs of its own.
	Session  string    `json:"session"`
	Programs []Program `json:"programs"`
}

// Program is one that is connected over MCP now.
type Program struct {
	ID string `json:"id"`
	// Name is what it says of itself: text from outside.
	Name string `json:"name"`
	// Via is stdio or http.
	Via   string    `json:"via"`
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"`
	Calls int       `json:"calls"`
	// Tabs are its own; Shares is true of one that acts on the window's instead.
	Tabs   int    `json:"tabs"`
	Shares bool   `json:"shares,omitempty"`
	Panel  string `json:"panel,omitempty"`
}
