package remotehttp

import (
	"testing"

	"sextant/backend/sandbox/egress"
	"sextant/shared/event"
)

func TestOnlyEnabledServersAreAllowedOnTheirPorts(t *testing.T) {
	g := egress.New(egress.Config{})
	t.Cleanup(func() { _ = g.Close() })
	server := event.MCPServer{Enabled: true, Transport: "http", Command: "http://localhost/mcp"}
	g.SetAllowed(hosts([]event.MCPServer{
		server,
		{Enabled: true, Transport: "sse", Command: "https://[::1]/mcp"},
		{Enabled: false, Transport: "http", Command: "http://127.0.0.1:3000/mcp"},
		{Enabled: true, Transport: "stdio", Command: "http://127.0.0.1:4000/run"},
	}))
	for host, want := range map[string]bool{
		"localhost:80": true, "[::1]:443": true, "localhost:3000": false, "localhost": false, "127.0.0.1:3000": false,
		"127.0.0.1:4000": false, "[::1]:80": false,
	} {
		t.Run(host, func(t *testing.T) {
			if g.IsAllowed(host) != want {
				t.Errorf("allowed is %t", !want)
			}
		})
	}
	server.Enabled = false
	if g.SetAllowed(hosts([]event.MCPServer{server})); g.IsAllowed("localhost:80") {
		t.Error("a server that was switched off is still allowed")
	}
}
