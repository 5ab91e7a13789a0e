package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/backend/store/backups"
)

type backupsVerb struct {
	List    backupsListVerb    `cmd:"" default:"withargs" help:"List the backups of conversations, settings, notes and recipes, one a day."`
	Restore backupsRestoreVerb `cmd:"" help:"Replace conversations, settings, notes and recipes by those of a backup."`
}

type backupsListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run lists the backups, also while Sextant runs.
func (v *backupsListVerb) Run(_ context.Context, io verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	folder := app.OpenBackups(config)
	all, err := folder.List()
	if err != nil {
		return err
	}
	if v.JSON {
		return verb.PrintJSON(io, all)
	}
	for _, b := range all {
		_, _ = fmt.Fprintf(io.Out, "%s  %s\n", b.Name, humanize.Bytes(uint64(b.Size)))
	}
	if len(all) == 0 {
		_, _ = fmt.Fprintf(io.Err, "There are no backups in %s yet. Sextant makes one each day it runs.\n",
			folder.Path())
	}
	return nil
}

type backupsRestoreVerb struct {
	Day string `arg:"" help:"Day of the backup, such as 2026-11-27."`
}

// Run restores a backup while no Sextant uses the data folder.
func (v *backupsRestoreVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	replaced, err := app.OpenBackups(config).Restore(ctx, v.Day)
	if errors.Is(err, backups.ErrNotFound) {
		return verb.Failure(verb.ExitFailed, "there is no backup of %s. List them with: sextant backups", v.Day)
	}
	if err != nil {
		if replaced != "" {
			_, _ = fmt.Fprintf(io.Err, "sextant: the replaced database is kept as %s\n", replaced)
		}
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, _ = fmt.Fprintf(io.Out, "Restored the backup of %s.\n", v.Day)
	if replaced != "" {
		_, _ = fmt.Fprintf(io.Out, "What it replaced is kept as %s\n", replaced)
	}
	return nil
}
