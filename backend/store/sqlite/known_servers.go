package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/wire"
)

// KnownServer returns the stored data about an MCP server, or the zero value for an unknown key.
func (s *Store) KnownServer(ctx context.Context, key string) (wire.KnownServer, error) {
	k := wire.KnownServer{Key: key}
	var found int64
	var tools, domains string
	err := s.reader.QueryRowContext(ctx,
		`SELECT name, era, found, tools, domains FROM known_servers WHERE key = ?`, key).
		Scan(&k.Name, &k.Revision, &found, &tools, &domains)
	if errors.Is(err, sql.ErrNoRows) {
		return wire.KnownServer{}, nil
	}
	if err == nil {
		k.Probed = sqlrows.Time(found)
		err = errors.Join(json.Unmarshal([]byte(tools), &k.Pins), json.Unmarshal([]byte(domains), &k.Domains))
	}
	if err != nil {
		return wire.KnownServer{}, fmt.Errorf("reading what is known of an MCP server: %w", err)
	}
	return k, nil
}

// SaveKnownServer stores data about an MCP server.
func (s *Store) SaveKnownServer(ctx context.Context, k wire.KnownServer) error {
	tools, err := json.Marshal(k.Pins)
	if err != nil {
		return fmt.Errorf("storing what is known of %s: %w", k.Name, err)
	}
	domains, err := json.Marshal(k.Domains)
	if err != nil {
		return fmt.Errorf("storing what is known of %s: %w", k.Name, err)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT OR REPLACE INTO known_servers (key, name, era, found, tools, domains, time)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			k.Key, k.Name, k.Revision, sqlrows.Nanos(k.Probed), string(tools), string(domains), sqlrows.Nanos(time.Now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing what is known of %s: %w", k.Name, err)
	}
	return nil
}
