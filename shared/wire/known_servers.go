package wire

import "time"

// KnownServer contains what is stored about an MCP server between runs of Sextant.
type KnownServer struct {
	// Key is made of the server's name and its command or address. Name is the server's name in the configuration.
	Key, Name string
	// Revision is the protocol revision that the server uses, "" if unknown. Probed is the time at which it was
	// determined.
	Revision string
	Probed   time.Time
	// Pins maps the server's names for its tools to the definitions that the person knows, as JSON. It is nil until the
	// tools were listed for the first time.
	Pins map[string]string
	// Domains contains what the person allowed the server's pages to use: "connect https://a.example".
	Domains []string
}
