package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sextant/backend/store/sqlrows"
)

// PanelState returns the JSON state that a panel's page stored. ok is false if there is none.
func (s *Store) PanelState(ctx context.Context, panel string) (state string, ok bool, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT state FROM panel_states WHERE panel = ?`, panel).Scan(&state)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("reading the state of panel %s: %w", panel, err)
	}
	return state, true, nil
}

// SetPanelState replaces the stored state of a panel.
func (s *Store) SetPanelState(ctx context.Context, panel, state string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO panel_states (panel, state, updated) VALUES (?, ?, ?)
			ON CONFLICT (panel) DO UPDATE SET state = excluded.state, updated = excluded.updated`,
			panel, state, sqlrows.Nanos(time.Now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing the state of panel %s: %w", panel, err)
	}
	return nil
}
