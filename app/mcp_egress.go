package app

import (
	"net"
	"net/http"
	"net/url"

	"sextant/backend/sandbox/egress"
	"sextant/shared/event"
)

// mcpEgress sends the requests of remote MCP servers and those of signing in to them. It has a Guard of
// its own: the addresses a person configured are open for servers that are switched on, each at its one
// port, and the browser and other tools do not get at them.
type mcpEgress struct {
	sys   *System
	guard *egress.Guard
}

// RoundTrip implements http.RoundTripper.
func (m *mcpEgress) RoundTrip(req *http.Request) (*http.Response, error) {
	m.guard.SetAllowed(remoteHosts(m.sys.MCP.List()))
	return m.guard.Transport().RoundTrip(req)
}

// remoteHosts are host:port of the servers in list that are switched on and not programs of this machine.
func remoteHosts(list []event.MCPServer) []string {
	var hosts []string
	for _, server := range list {
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
		hosts = append(hosts, net.JoinHostPort(u.Hostname(), port))
	}
	return hosts
}
