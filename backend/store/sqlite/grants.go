package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// AddGrant stores a grant and replaces one with the same id.
func (s *Store) AddGrant(ctx context.Context, g toolspec.Grant) error {
	if g.ID == "" || g.Tool == "" || g.Scope == "" {
		return errors.New("storing a grant: it needs an id, a tool and a scope")
	}
	data, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("storing a grant: %w", err)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO grants (id, tool, scope, conversation, data, created)
			VALUES (?, ?, ?, ?, ?, ?)`, g.ID, g.Tool, g.Scope, g.Conversation, data, sqlrows.Nanos(g.Created))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a grant: %w", err)
	}
	return nil
}

// Grants returns all grants, oldest first.
func (s *Store) Grants(ctx context.Context) ([]toolspec.Grant, error) {
	return sqlrows.Collect(ctx, s.reader, sqlrows.ScanJSON[toolspec.Grant], "reading grants",
		`SELECT data FROM grants ORDER BY created, id`)
}

// GrantRows returns all grants with their uses, newest first.
func (s *Store) GrantRows(ctx context.Context) ([]wire.GrantRow, error) {
	const calls = `FROM audit WHERE phase = 'intent' AND json_extract(CAST(body AS TEXT), '$.grant') = g.id`
	return sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (wire.GrantRow, error) {
		var g wire.GrantRow
		var data []byte
		var title sql.NullString
		var used sql.NullInt64
		if err := row.Scan(&data, &title, &g.Uses, &used); err != nil {
			return g, err
		}
		g.Title = title.String
		if used.Valid {
			at := sqlrows.Time(used.Int64)
			g.LastUsed = &at
		}
		return g, json.Unmarshal(data, &g.Grant)
	}, "reading grants", `SELECT g.data, c.title, (SELECT count(*) `+calls+`), (SELECT max(time) `+calls+`)
		FROM grants g LEFT JOIN conversations c ON c.id = g.conversation ORDER BY g.created DESC, g.id`)
}

// RevokeGrant deletes a grant. It returns ErrNotFound if there is none with this id.
func (s *Store) RevokeGrant(ctx context.Context, id string) error {
	return s.changeOne(ctx, "revoking a grant", "grant", `DELETE FROM grants WHERE id = ?`, id)
}
