package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sextant/backend/record/events"
	"sextant/backend/record/store"
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

// openForVerb loads the configuration, opens a System and tells problems on stderr.
func openForVerb(ctx context.Context, flags map[string]string, purpose Purpose, io streams) (*System, error) {
	config, err := LoadConfig(flags)
	if err != nil {
		return nil, err
	}
	for _, p := range config.Problems {
		_, _ = fmt.Fprintln(io.err, "sextant:", p)
	}
	log := slog.New(slog.NewTextHandler(io.err, &slog.HandlerOptions{Level: level(config)}))
	sys, err := OpenSystem(ctx, config, purpose, log)
	if errors.Is(err, store.ErrLocked) && purpose.Private {
		sys, err = openBeside(ctx, config, purpose, log, io)
	}
	if err != nil {
		return nil, explain(err)
	}
	if purpose.WaitMCP {
		wait, cancel := context.WithTimeout(ctx, mcpPatience)
		defer cancel()
		sys.waitForMCP(wait)
	}
	return sys, nil
}

// openBeside opens a System with a data folder of its own.
func openBeside(ctx context.Context, config *Config, purpose Purpose, log *slog.Logger, io streams) (*System, error) {
	dir, err := os.MkdirTemp("", "sextant-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for this run: %w", err)
	}
	note := "Sextant runs already and owns " + config.DataDir + ", so this run keeps its data apart and drops it at the end."
	_, _ = fmt.Fprintln(io.err, "sextant:", note)
	own := *config
	own.DataDir = dir
	own.flags = maps.Clone(config.flags)
	panels, _, _ := config.fixed("panels")
	own.flags["panels"] = joinPaths(slices.DeleteFunc([]string{filepath.Join(config.DataDir, "panels"), panels}, func(s string) bool { return s == "" }))
	sys, err := OpenSystem(ctx, &own, purpose, log)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	sys.Borrowed = note
	sys.onClose("the folder of this run", func() error { return os.RemoveAll(dir) })
	return sys, nil
}

// level reads log_level before there is anything else.
func level(config *Config) slog.Level {
	v, _, _ := config.fixed("log_level")
	switch v {
	case "debug":
		return slog.LevelDebug
	case "info":
		return slog.LevelInfo
	case "error":
		return slog.LevelError
	}
	return slog.LevelWarn
}

// waitForMCP returns when no MCP server is starting any more, or ctx ends.
func (s *System) waitForMCP(ctx context.Context) {
	sub := s.Events.Subscribe(events.Filter{Kinds: []event.Kind{event.MCPChanged}}, events.FromNow)
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
