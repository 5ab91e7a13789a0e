package verb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"sextant/app"
	"sextant/app/config"
	"sextant/backend/store/sqlite"
)

// Open opens Sextant for a verb. It prints problems with the configuration.
func Open(
	ctx context.Context,
	flags map[string]string,
	purpose app.OpenOptions,
	io Streams,
) (*app.System, error) {
	config, err := config.Load(flags)
	if err != nil {
		return nil, err
	}
	for _, p := range config.Problems {
		_, _ = fmt.Fprintln(io.Err, "sextant:", p)
	}
	log := Logger(config, io)
	sys, err := app.OpenSystem(ctx, config, purpose, log)
	if errors.Is(err, sqlite.ErrLocked) && purpose.AllowTemporaryData {
		sys, err = openTemporary(ctx, config, purpose, log, io)
	}
	if err != nil {
		return nil, Explain(err)
	}
	if purpose.WaitMCP {
		sys.WaitForMCP(ctx)
	}
	return sys, nil
}

func openTemporary(ctx context.Context, config *config.Config, purpose app.OpenOptions, log *slog.Logger,
	io Streams,
) (*app.System, error) {
	dir, err := os.MkdirTemp("", "sextant-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for this run: %w", err)
	}
	note := "Sextant is already running and uses " + config.DataDir +
		", so this run uses a temporary data folder and deletes it at the end."
	if purpose.Queue == nil { // with a queue, the data folder hardly matters
		_, _ = fmt.Fprintln(io.Err, "sextant:", note)
	}
	sys, err := app.OpenSystem(ctx, config.WithDataDir(dir), purpose, log)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	sys.TemporaryData = note
	sys.OnClose("the folder of this run", func() error { return os.RemoveAll(dir) })
	return sys, nil
}

// Logger returns a logger that writes to io.Err from the configured level on.
func Logger(config *config.Config, io Streams) *slog.Logger {
	return slog.New(slog.NewTextHandler(io.Err, &slog.HandlerOptions{Level: level(config)}))
}

func level(config *config.Config) slog.Level {
	v, _, _ := config.FixedValue("log_level")
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
