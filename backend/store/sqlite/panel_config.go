package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// PanelConfig returns the person's settings for a panel: JSON values by name.
func (s *Store) PanelConfig(ctx context.Context, panel string) (map[string]json.RawMessage, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT name, value FROM panel_config WHERE panel = ?`, panel)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of panel %s: %w", panel, err)
	}
	defer rows.Close()
	all := map[string]json.RawMessage{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, fmt.Errorf("reading the settings of panel %s: %w", panel, err)
		}
		all[name] = json.RawMessage(value)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the settings of panel %s: %w", panel, err)
	}
	return all, nil
}

// SetPanelConfig stores values for a panel and keeps its other values. An empty value deletes the stored one.
func (s *Store) SetPanelConfig(ctx context.Context, panel string, values map[string]json.RawMessage) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for name, value := range values {
			statement, args := `INSERT OR REPLACE INTO panel_config (panel, name, value) VALUES (?, ?, ?)`,
				[]any{panel, name, string(value)}
			if len(value) == 0 {
				statement, args = `DELETE FROM panel_config WHERE panel = ? AND name = ?`, []any{panel, name}
			}
			if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing the settings of panel %s: %w", panel, err)
	}
	return nil
}
