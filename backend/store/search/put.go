package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sextant/shared/chat"
)

// Put indexes m, or removes it from the index if it is not searchable. m must be stored already. A running message is
// indexed when it ends.
func Put(ctx context.Context, tx *sql.Tx, m chat.Message) error {
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM search_rows WHERE message = ?`, m.ID).Scan(&id)
	isNew := errors.Is(err, sql.ErrNoRows)
	if err != nil && !isNew {
		return fmt.Errorf("indexing: %w", err)
	}
	parts := partsOf(m)
	switch {
	case len(parts) == 0 && isNew:
		return nil
	case len(parts) == 0:
		_, err = tx.ExecContext(ctx, `DELETE FROM search_rows WHERE id = ?`, id)
	case isNew:
		id, err = newRow(ctx, tx, m)
	default:
		_, err = tx.ExecContext(ctx, `DELETE FROM search_index WHERE rowid = ?`, id)
	}
	if err != nil || len(parts) == 0 {
		return wrap(err)
	}
	tool, err := toolOf(ctx, tx, m)
	if err != nil {
		return wrap(err)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO search_index (rowid, text, tags) VALUES (?, ?, ?)`,
		id, textOf(parts), tagsOf(m, tool))
	return wrap(err)
}

func wrap(err error) error {
	if err != nil {
		return fmt.Errorf("indexing: %w", err)
	}
	return nil
}

// newRow reserves the row of m: its time, or the next free number.
func newRow(ctx context.Context, tx *sql.Tx, m chat.Message) (int64, error) {
	id := max(1, m.Time.UnixMilli())
	for range 4 {
		done, err := tx.ExecContext(ctx, `INSERT INTO search_rows (id, message) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`,
			id, m.ID)
		if err != nil {
			return 0, err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return id, err
		}
		id++
	}
	// Many messages have this time, as after an import.
	err := tx.QueryRowContext(ctx, `INSERT INTO search_rows (id, message) VALUES ((SELECT r.id + 1 FROM search_rows AS r
		WHERE r.id >= ?1 AND NOT EXISTS (SELECT 1 FROM search_rows AS n WHERE n.id = r.id + 1)
		ORDER BY r.id LIMIT 1), ?2) RETURNING id`, id-1, m.ID).Scan(&id)
	return id, err
}

// lookBack is the number of messages before a result among which its call is looked for.
const lookBack = 40

// toolOf returns the tool that a result comes from, "" if m is no result.
func toolOf(ctx context.Context, tx *sql.Tx, m chat.Message) (tool string, err error) {
	if m.Role != chat.RoleTool || m.CallID == "" {
		return "", nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT calls FROM (SELECT calls FROM messages WHERE conversation = ?1
		AND position <= (SELECT position FROM messages WHERE id = ?2) ORDER BY position DESC LIMIT ?3)
		WHERE calls IS NOT NULL`, m.Conversation, m.ID, lookBack)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Err(), rows.Close()) }()
	for rows.Next() {
		var calls []byte
		if err := rows.Scan(&calls); err != nil {
			return "", err
		}
		if tool, err = callName(calls, m.CallID); tool != "" || err != nil {
			return tool, err
		}
	}
	return "", nil
}
