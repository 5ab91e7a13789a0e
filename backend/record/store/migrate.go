package store

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

// measuresFilled is the version of the schema whose tables of figures hold what was recorded
// before there were any.
const measuresFilled = 7

// provider knows the migrations of a database.
func (s *Store) provider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations")
	if err == nil {
		var p *goose.Provider
		p, err = goose.NewProvider(goose.DialectSQLite3, db, dir, goose.WithDisableGlobalRegistry(true),
			goose.WithGoMigrations(goose.NewGoMigration(measuresFilled, &goose.GoFunc{RunTx: s.measureOld}, nil)))
		if err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("reading migrations: %w", err)
}

// migrate brings the schema up to this program's version, or fails with ErrNewer without
// touching a file that is already past it.
func (s *Store) migrate(ctx context.Context, db *sql.DB) error {
	provider, err := s.provider(db)
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
		return fmt.Errorf("bringing the schema up to date: %w", err)
	}
	return nil
}
