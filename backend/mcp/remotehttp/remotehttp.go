// Package remotehttp sends the requests to remote MCP servers and to the authorization servers that they name. It
// has an egress guard of its own, which allows a private address only if it is that of a configured server, at its
// port and while the server is switched on. The guards of the browser and of other tools do not allow it.
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
	// Guard checks and dials all hosts.
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

// hosts returns the addresses of the remote servers that are switched on, as host:port.
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
