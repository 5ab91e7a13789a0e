package remotehttp

import (
	"testing"

	"sextant/backend/sandbox/egress"
	"sextant/shared/event"
)

func TestOnlyServersThatAreOnAreOpenAndEachAtItsPort(t *testing.T) {
	g := egress.New(egress.Config{})
	t.Cleanup(func() { _ = g.Close() })
	one := event.MCPServer{Enabled: true, Transport: "http", Command: "http://localhost/mcp"}
	g.SetAllowed(hosts([]event.MCPServer{
		one,
		{Enabled: true, Transport: "sse", Command: "https://[::1]/mcp"},
		{Enabled: false, Transport: "http", Command: "http://127.0.0.1:3000/mcp"},
		{Enabled: true, Transport: "stdio", Command: "http://127.0.0.1:4000/run"},
	}))
	for host, want := range map[string]bool{
		"localhost:80": true, "[::1]:443": true, "localhost:3000": false, "localhost": false, "127.0.0.1:3000": false,
		"127.0.0.1:4000": false, "[::1]:80": false,
	} {
		if g.IsAllowed(host) != want {
			t.Errorf("%s: open is %t", host, !want)
		}
	}
	one.Enabled = false
	if g.SetAllowed(hosts([]event.MCPServer{one})); g.IsAllowed("localhost:80") {
		t.Error("a server that was switched off stays open")
	}
}
