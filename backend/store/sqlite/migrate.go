package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// backfillVersion is the schema version in which older calls and turns are counted for the metrics.
const backfillVersion = 7

func (s *Store) migrationProvider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations")
	if err == nil {
		var p *goose.Provider
		p, err = goose.NewProvider(goose.DialectSQLite3, db, dir, goose.WithDisableGlobalRegistry(true),
			goose.WithGoMigrations(goose.NewGoMigration(backfillVersion,
				&goose.GoFunc{RunTx: s.recorder.Backfill}, nil)))
		if err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("reading migrations: %w", err)
}

func (s *Store) migrate(ctx context.Context, db *sql.DB) error {
	provider, err := s.migrationProvider(db)
	if err != nil {
		return err
	}
	have, want, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	if have > want {
		return &OpenError{Kind: ErrNewer, Detail: fmt.Sprintf("schema %d, this program knows %d", have, want)}
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrating the schema: %w", err)
	}
	return nil
}
