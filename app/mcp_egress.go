package app

import (
	"net/http"
	"net/url"
	"strings"

	"sextant/backend/guard/egress"
)

// mcpEgress sends the requests of remote MCP servers. It has a Guard of its own, so that
// the address a person configured is open for that server and for nothing else: the
// browser and other tools do not get at it.
type mcpEgress struct {
	sys   *System
	guard *egress.Guard
}

// RoundTrip implements http.RoundTripper.
func (m *mcpEgress) RoundTrip(req *http.Request) (*http.Response, error) {
	for _, server := range m.sys.MCP.List() {
		if u, err := url.Parse(server.Command); err == nil && u.Host != "" && strings.EqualFold(u.Host, req.URL.Host) {
			m.guard.Open(u.Host)
		}
	}
	return m.guard.Transport().RoundTrip(req)
}
