package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sextant/backend/store/sqlrows"
)

// Setting returns the stored value of key. ok is false if there is none.
func (s *Store) Setting(ctx context.Context, key string) (value string, ok bool, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT value FROM settings WHERE key = ?`, key).Scan(&value)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("reading setting %s: %w", key, err)
	}
	return value, true, nil
}

// SetSetting stores value under key.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (key, value, updated) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated = excluded.updated`,
			key, value, sqlrows.Nanos(time.Now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing setting %s: %w", key, err)
	}
	return nil
}

// UnsetSetting deletes the stored value of key, so that the next source of the setting applies.
func (s *Store) UnsetSetting(ctx context.Context, key string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM settings WHERE key = ?`, key)
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting setting %s: %w", key, err)
	}
	return nil
}

// Settings returns all stored settings by key.
func (s *Store) Settings(ctx context.Context) (map[string]string, error) {
	type pair struct{ key, value string }
	pairs, err := sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (pair, error) {
		var p pair
		return p, row.Scan(&p.key, &p.value)
	}, "reading settings", `SELECT key, value FROM settings`)
	if err != nil {
		return nil, err
	}
	all := make(map[string]string, len(pairs))
	for _, p := range pairs {
		all[p.key] = p.value
	}
	return all, nil
}
