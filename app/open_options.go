package app

import (
	"context"
	"slices"
	"time"

	"sextant/backend/store/eventlog"
	"sextant/shared/event"
)

// OpenOptions says which parts of a System are opened, and how.
type OpenOptions struct {
	// Serve opens the HTTP server.
	Serve bool
	// AllowTemporaryData makes OpenSystem use an empty temporary data folder if another running Sextant owns the
	// configured one.
	AllowTemporaryData bool
	// AttachURL is the debugging address of a running Chromium to use. If it is "", Sextant starts one.
	AttachURL string
	// TemporaryProfile makes the browser use a temporary profile.
	TemporaryProfile bool
	// WaitMCP makes OpenSystem wait for MCP servers to start, for verbs that list tools.
	WaitMCP bool
}

// mcpStartLimit is the maximum time that WaitForMCP waits.
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
