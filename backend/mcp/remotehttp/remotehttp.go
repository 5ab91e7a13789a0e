// Package remotehttp sends the requests to remote MCP servers and to the authorization servers that they name. Its
// egress guard allows a private address only if it is that of a configured server that is switched on, at its port.
package remotehttp

import (
	"net"
	"net/http"
	"net/url"

	"sextant/backend/sandbox/egress"
	"sextant/shared/event"
)

// Transport is the http.RoundTripper for remote MCP servers. It is safe for concurrent use.
type Transport struct {
	// Guard checks the requests. It must not be shared: RoundTrip sets the private addresses that it allows.
	Guard *egress.Guard
	// Servers lists the configured servers. It is called for each request.
	Servers func() []event.MCPServer
}

var _ http.RoundTripper = (*Transport)(nil)

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.Guard.SetAllowed(hosts(t.Servers()))
	return t.Guard.Transport().RoundTrip(req)
}

func hosts(servers []event.MCPServer) []string {
	var open []string
	for _, server := range servers {
		u, err := url.Parse(server.Command)
		if !server.Enabled || server.Transport == "stdio" || err != nil || u.Hostname() == "" {
			continue
		}
		port := u.Port()
		if port == "" {
			if port = "443"; u.Scheme == "http" {
				port = "80"
			}
		}
		open = append(open, net.JoinHostPort(u.Hostname(), port))
	}
	return open
}
