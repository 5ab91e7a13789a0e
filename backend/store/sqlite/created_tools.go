package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/toolspec"
)

const createdColumns = `SELECT version, asleep, data FROM created_tools `

func scanCreated(row *sql.Rows) (toolspec.CreatedTool, error) {
	var t toolspec.CreatedTool
	var version int
	var asleep bool
	var data []byte
	if err := row.Scan(&version, &asleep, &data); err != nil {
		return t, err
	}
	err := json.Unmarshal(data, &t)
	t.Version, t.AwaitsReview = version, asleep
	return t, err
}

// CreatedTools returns the current version of every created tool, sorted by name.
func (s *Store) CreatedTools(ctx context.Context) ([]toolspec.CreatedTool, error) {
	return sqlrows.Collect(ctx, s.reader, scanCreated, "reading created tools",
		createdColumns+`WHERE current = 1 ORDER BY name`)
}

// CreatedToolVersions returns every version of a tool, newest first, even if the tool was deleted.
func (s *Store) CreatedToolVersions(ctx context.Context, name string) ([]toolspec.CreatedTool, error) {
	return sqlrows.Collect(ctx, s.reader, scanCreated, "reading created tools",
		createdColumns+`WHERE name = ? ORDER BY version DESC`, name)
}

// SaveCreatedTool stores t as the next version of the tool with its name and makes it the current one. It returns t
// with its Version.
func (s *Store) SaveCreatedTool(ctx context.Context, t toolspec.CreatedTool) (toolspec.CreatedTool, error) {
	if t.Name == "" {
		return t, errors.New("storing a created tool: it has no name")
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx,
			`SELECT coalesce(max(version), 0) + 1 FROM created_tools WHERE name = ?`,
			t.Name).Scan(&t.Version); err != nil {
			return err
		}
		data, err := json.Marshal(t)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE created_tools SET current = 0 WHERE name = ?`, t.Name); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			`INSERT INTO created_tools (name, version, current, asleep, data) VALUES (?, ?, 1, ?, ?)`,
			t.Name, t.Version, t.AwaitsReview, data)
		return err
	})
	if err != nil {
		return t, fmt.Errorf("storing a created tool: %w", err)
	}
	return t, nil
}

// ActivateCreatedTool marks a version of a tool as reviewed by the person, so that it may run. It returns ErrNotFound
// if the version is not the current one, because the person has then not read the current one.
func (s *Store) ActivateCreatedTool(ctx context.Context, name string, version int) error {
	return s.changeOne(ctx, "changing a created tool", "created tool",
		`UPDATE created_tools SET asleep = 0 WHERE name = ? AND version = ? AND current = 1`, name, version)
}

// DeleteCreatedTool deletes a tool and keeps its versions. It returns ErrNotFound if there is none.
func (s *Store) DeleteCreatedTool(ctx context.Context, name string) error {
	return s.changeOne(ctx, "changing a created tool", "created tool",
		`UPDATE created_tools SET current = 0 WHERE name = ? AND current = 1`, name)
}
