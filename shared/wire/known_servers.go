package wire

import "time"

// KnownServer is what is remembered of an MCP server over a restart.
type KnownServer struct {
	// Key identifies the server by its name and its command or address. Name is the person's name for it.
	Key, Name string
	// Era is the protocol revision that it uses, "" when unknown. Found is when that was found out.
	Era   string
	Found time.Time
	// Pins are the definitions that the person knows, as JSON by the server's own names; nil before they were
	// listed for the first time.
	Pins map[string]string
	// Domains are what the person allowed pages of the server to use: "connect https://a.example".
	Domains []string
}
