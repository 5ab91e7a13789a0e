package app

import (
	"context"
	"slices"
	"time"

	"sextant/backend/store/eventlog"
	"sextant/shared/event"
)

// Purpose says what a System is opened for.
type Purpose struct {
	// Serve opens the HTTP door.
	Serve bool
	// Private verbs work beside a running Sextant: when it owns the data folder they use an
	// empty one of their own that is removed at the end.
	Private bool
	// AttachURL attaches to a running Chromium instead of starting one.
	AttachURL string
	// ThrowAway gives the browser a profile that goes with it.
	ThrowAway bool
	// WaitMCP waits a moment for MCP servers, for verbs that list tools.
	WaitMCP bool
}

// mcpPatience is how long a listing verb waits for MCP servers to start.
const mcpPatience = 10 * time.Second

// WaitForMCP returns when no MCP server is starting any more, after mcpPatience, or when ctx ends.
func (s *System) WaitForMCP(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, mcpPatience)
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
