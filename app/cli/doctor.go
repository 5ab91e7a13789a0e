package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/doctor"
	"sextant/backend/store/audit"
	"sextant/backend/store/sqlite"
)

type doctorVerb struct {
	JSON  bool `help:"Print JSON."`
	Fresh bool `help:"If the database is damaged, rename its file and start with an empty one."`
}

// Run opens a System, starts the browser and prints the findings. The exit code is 1 if a finding is bad.
func (v *doctorVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global) error {
	if v.Fresh {
		if err := startFresh(ctx, streams, g); err != nil {
			return err
		}
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true},
		verb.Streams{In: streams.In, Out: streams.Out, Err: io.Discard})
	if err != nil {
		return err
	}
	defer sys.Close()
	findings := doctor.Diagnose(ctx, sys, hasDisplay())
	if v.JSON {
		if err := verb.PrintJSON(streams, findings); err != nil {
			return err
		}
	}
	bad := 0
	for _, f := range findings {
		if f.State == "bad" {
			bad++
		}
		if v.JSON {
			continue
		}
		_, _ = fmt.Fprintf(streams.Out, "%-5s %-10s %s\n", f.State, f.What, f.Says)
		if f.Hint != "" {
			_, _ = fmt.Fprintf(streams.Out, "%17s%s\n", "", f.Hint)
		}
	}
	if bad > 0 {
		return verb.Failure(verb.ExitFailed, "%d of %d checks failed", bad, len(findings))
	}
	return nil
}

// startFresh renames a damaged database and creates an empty one. It does not change a database that can be opened.
func startFresh(ctx context.Context, io verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	path := filepath.Join(config.DataDir, app.DatabaseName)
	s, err := sqlite.Open(ctx, path, slog.New(slog.DiscardHandler))
	if errors.Is(err, sqlite.ErrDamaged) {
		var kept string
		if s, kept, err = sqlite.OpenFresh(ctx, path, slog.New(slog.DiscardHandler)); err == nil {
			err = audit.ResetHead(config.DataDir)
			_, _ = fmt.Fprintf(io.Err, "sextant: started with an empty database; the damaged one is kept as %s\n", kept)
		}
	}
	if err != nil {
		return verb.Explain(err)
	}
	return s.Close()
}
