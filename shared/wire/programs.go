package wire

import "time"

// Programs says how other programs connect to this Sextant over MCP, and which are connected. It holds the
// token, so only the person's windows get it.
type Programs struct {
	// Command and Args start `sextant mcp`, which joins this Sextant.
	Command string   `json:"command"`
	Args    []string `json:"args"`
	// URL is the MCP endpoint over HTTP, Token its token; both are valid until this Sextant ends.
	URL   string `json:"url"`
	Token string `json:"token"`
	// Session is a new name for ?session=, so that a program configured with it has its own tabs.
	Session  string    `json:"session"`
	Programs []Program `json:"programs"`
}

// Program is a program that is connected over MCP.
type Program struct {
	ID string `json:"id"`
	// Name is the name it gives itself: text from outside.
	Name string `json:"name"`
	// Via is stdio or http.
	Via   string    `json:"via"`
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"`
	Calls int       `json:"calls"`
	// Tabs counts its own tabs. Shares is true of a program that acts on the window's tabs instead.
	Tabs   int    `json:"tabs"`
	Shares bool   `json:"shares,omitempty"`
	Panel  string `json:"panel,omitempty"`
}
