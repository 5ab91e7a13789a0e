package wire

import "time"

// Programs says how other programs can connect to this Sextant over MCP, and lists the connected ones. It contains the
// token, so it is sent only to the person's windows.
type Programs struct {
	// Command and Args start `sextant mcp`, which connects to this Sextant.
	Command string   `json:"command"`
	Args    []string `json:"args"`
	// URL is the MCP endpoint over HTTP, and Token its token. Both are valid until this Sextant ends.
	URL   string `json:"url"`
	Token string `json:"token"`
	// Session is a new value for ?session=. A program that is configured with it has separate tabs.
	Session  string      `json:"session"`
	Programs []MCPClient `json:"programs"`
}

// MCPClient is a program that is connected to Sextant's MCP server.
type MCPClient struct {
	ID string `json:"id"`
	// Name is the name that the program gives itself. It is outside text.
	Name string `json:"name"`
	// Transport is stdio or http.
	Transport string    `json:"via"`
	Since     time.Time `json:"since"`
	Last      time.Time `json:"last"`
	Calls     int       `json:"calls"`
	// Tabs counts the tabs that the program acts on: its own, or the window's if SharesTabs is true.
	Tabs       int    `json:"tabs"`
	SharesTabs bool   `json:"shares,omitempty"`
	Panel      string `json:"panel,omitempty"`
}
