package app

import (
	"context"
	"slices"
	"time"

	"sextant/backend/store/eventlog"
	"sextant/backend/store/pgqueue"
	"sextant/shared/event"
)

// OpenOptions says which parts of a System are opened, and how.
type OpenOptions struct {
	// Serve opens the HTTP server.
	Serve bool
	// RunBatches goes on with batches that run, also in a program that does not serve.
	RunBatches bool
	// AllowTemporaryData makes a verb of package cli use an empty temporary data folder if another running Sextant owns
	// the configured one. OpenSystem itself ignores it.
	AllowTemporaryData bool
	// Queue contains the batches instead of the data folder. Browsers are the debugging addresses of the browsers that
	// are lent to rows; none starts a Chromium for each.
	Queue    *pgqueue.Queue
	Browsers []string
	// AttachURL is the debugging address of a running Chromium to use. If it is "", Sextant starts one.
	AttachURL string
	// TemporaryProfile makes the browser use a temporary profile.
	TemporaryProfile bool
	// WaitMCP makes a verb of package cli call WaitForMCP, so that the servers' tools are there. OpenSystem itself
	// ignores it.
	WaitMCP bool
}

const mcpStartLimit = 10 * time.Second

// WaitForMCP returns when no MCP server is starting any more, after 10 seconds, or when ctx or the System ends.
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
