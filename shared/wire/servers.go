package wire

import "time"

// KnownServer is what is remembered of an MCP server between its lives.
type KnownServer struct {
	// Key stands for the server's name and command or address; Name is the person's for it.
	Key, Name string
	// Era is the revision of the protocol it speaks, "" when that is to be found out; Found is when
	// it was.
	Era   string
	Found time.Time
	// Tools are the definitions the person knows, as JSON by the server's own names; nil before it
	// was listed for the first time.
	Tools map[string]string
	// Domains are what pages of the server may reach, as the person said: "connect https://a.example".
	Domains []string
}
