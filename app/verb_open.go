package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"sextant/app/config"
	"sextant/backend/record/events"
	"sextant/backend/record/store"
	"sextant/shared/event"
)

// mcpPatience is how long a listing verb waits for MCP servers to start.
const mcpPatience = 10 * time.Second

// openForVerb loads the configuration, opens a System and tells problems on stderr.
func openForVerb(ctx context.Context, flags map[string]string, purpose Purpose, io streams) (*System, error) {
	config, err := config.Load(flags)
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
		waitForMCP(wait, sys)
	}
	return sys, nil
}

// openBeside opens a System with a data folder of its own.
func openBeside(ctx context.Context, config *config.Config, purpose Purpose, log *slog.Logger, io streams) (*System, error) {
	dir, err := os.MkdirTemp("", "sextant-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for this run: %w", err)
	}
	note := "Sextant runs already and owns " + config.DataDir + ", so this run keeps its data apart and drops it at the end."
	_, _ = fmt.Fprintln(io.err, "sextant:", note)
	sys, err := OpenSystem(ctx, config.Beside(dir), purpose, log)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	sys.Borrowed = note
	sys.onClose("the folder of this run", func() error { return os.RemoveAll(dir) })
	return sys, nil
}

// level reads log_level before there is anything else.
func level(config *config.Config) slog.Level {
	v, _, _ := config.Fixed("log_level")
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
func waitForMCP(ctx context.Context, sys *System) {
	sub := sys.Events.Subscribe(events.Filter{Kinds: []event.Kind{event.MCPChanged}}, events.FromNow)
	defer sub.Close()
	for slices.ContainsFunc(sys.MCP.List(), func(m event.MCPServer) bool { return m.State == "starting" }) {
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
