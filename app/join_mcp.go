package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/api/mcpserver"
	"sextant/backend/calls/nearest"
	"sextant/shared/event"
)

// welcome prepares what a program that joins is given: tabs of its own, or the window's.
func (s *System) welcome(ctx context.Context, g mcpserver.Guest) (mcpserver.Config, func()) {
	session, farewell := "", func() {}
	if !g.Share {
		session = "joined-" + strings.ToLower(rand.Text())
		farewell = func() { s.Browser.CloseSession(session) }
	}
	return mcpserver.Config{
		Tools: offered{s, g.Tools, g.Panel}, Caller: s.Pipeline, Session: session, Panel: g.Panel, Client: g.Client, Version: Version,
		Asks: s.hub.Watched, Questions: s.questions, Answer: s.Desk.Answer,
		Instructions: mcpInstructions, Changed: s.changesFor(ctx), Shared: sharedTalks{s}, Progress: s.progress, Log: s.Log,
		Follow: s.Browser.Session(session).Follow,
	}, farewell
}

// panelKnown says so when there is no panel id, with the ids that look like it; "" asks for none.
func (s *System) panelKnown(id string) error {
	all := s.Panels.Panels()
	if id == "" || slices.ContainsFunc(all, func(p event.Panel) bool { return p.ID == id }) {
		return nil
	}
	known := make([]string, 0, len(all))
	for _, p := range all {
		known = append(known, p.ID)
	}
	next := "Panels are " + strings.Join(known[:min(len(known), 20)], ", ") + "."
	if near := nearest.Names(id, known, 3); len(near) > 0 {
		next = "Did you mean " + strings.Join(near, ", ") + "?"
	}
	return fmt.Errorf("there is no panel %q, so its tools cannot be offered. %s", readable(bounded(id, 80)), next)
}

// join serves an MCP client from the running Sextant.
func (v *mcpVerb) join(ctx context.Context, config *Config, io streams) error {
	if v.Panel != "" {
		at, err := findInstance(ctx, config.DataDir)
		if err == nil {
			var place mcpserver.Place
			if place, err = at.place(); err == nil {
				err = place.Check(ctx, mcpserver.Guest{Tools: v.Tools, Panel: v.Panel, Share: v.Share})
			}
		}
		if err != nil {
			return failure(exitUsage, "--panel: %v", err)
		}
	}
	err := mcpserver.Relay(ctx, mcpserver.RelayConfig{
		Find: func(ctx context.Context) (mcpserver.Place, error) {
			at, err := findInstance(ctx, config.DataDir)
			if err != nil {
				return mcpserver.Place{}, errors.New("the Sextant that was joined has ended. Start sextant again and repeat the call, which joins it; " +
					"or start sextant mcp with --headless for a browser of its own")
			}
			return at.place()
		},
		Tools: v.Tools, Panel: v.Panel, Share: v.Share, Version: Version, Instructions: mcpInstructions,
	}, io.in, io.out)
	if err != nil && ctx.Err() == nil {
		return failure(exitFailed, "the MCP connection ended: %v", err)
	}
	return nil
}
