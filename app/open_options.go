package app

import (
	"context"
	"slices"
	"time"

	"sextant/backend/store/eventlog"
	"sextant/shared/event"
)

// OpenOptions says what a System is opened for.
type OpenOptions struct {
	// Serve opens the HTTP server.
	Serve bool
	// Private is set by verbs that work beside a running Sextant: if that one owns the data folder, they use an empty
	// temporary one.
	Private bool
	// AttachURL attaches to a running Chromium instead of starting one.
	AttachURL string
	// TemporaryProfile gives the browser a temporary profile.
	TemporaryProfile bool
	// WaitMCP waits a moment for MCP servers to start, for verbs that list tools.
	WaitMCP bool
}

// mcpStartLimit is how long WaitForMCP waits.
const mcpStartLimit = 10 * time.Second

// WaitForMCP returns when no MCP server is starting any more, after mcpStartLimit, or when ctx ends.
func (s *System) WaitForMCP(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, mcpStartLimit)
	defer cancel()
	sub := s.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.MCPChanged}}, eventlog.FromNow)
	defer sub.Close()
	for slices.ContainsFunc(s.MCP.List(), func(m event.MCPServer) bool { return m.State == "starting" }) {
		select {
		case _, ok := <-sub.C():
			if !ok {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
