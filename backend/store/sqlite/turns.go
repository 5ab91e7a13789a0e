package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// Turns returns the turns of a conversation, oldest first.
func (s *Store) Turns(ctx context.Context, conversation string) ([]event.Turn, error) {
	return sqlrows.Collect(ctx, s.reader, sqlrows.ScanJSON[event.Turn], "reading turns",
		`SELECT data FROM turns WHERE conversation = ? ORDER BY started, id`, conversation)
}

// IsOnlyTurn reports whether a conversation has no other turn.
func (s *Store) IsOnlyTurn(ctx context.Context, conversation, turn string) (only bool, err error) {
	err = s.reader.QueryRowContext(ctx,
		`SELECT NOT EXISTS (SELECT 1 FROM turns WHERE conversation = ? AND id <> ?)`, conversation, turn).Scan(&only)
	if err != nil {
		return false, fmt.Errorf("reading turns: %w", err)
	}
	return only, nil
}

// If the turn has ended, its running messages end too.
func saveTurn(ctx context.Context, tx *sql.Tx, t event.Turn, e event.Event) error {
	if t.ID == "" {
		t.ID = e.Turn
	}
	if t.ID == "" {
		return errors.New("a turn without an id")
	}
	if t.Status == "" && e.Kind == event.TurnStarted {
		t.Status = chat.StatusRunning
	}
	if err := ensureConversation(ctx, tx, e.Conversation, e.Time); err != nil {
		return err
	}
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encoding the turn: %w", err)
	}
	var ended any
	if e.Kind == event.TurnEnded {
		ended = sqlrows.Nanos(e.Time)
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO turns (id, conversation, status, data, started, ended)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET status = excluded.status, data = excluded.data, ended = excluded.ended`,
		t.ID, e.Conversation, t.Status, data, sqlrows.Nanos(e.Time), ended); err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `UPDATE conversations SET status = ?, updated = MAX(updated, ?) WHERE id = ?`,
		t.Status, sqlrows.Nanos(e.Time), e.Conversation); err != nil {
		return err
	}
	if e.Kind != event.TurnEnded {
		return nil
	}
	return indexEnded(ctx, tx, t.Status, `turn = ?2 AND conversation = ?3 AND status = ?4`,
		t.ID, e.Conversation, chat.StatusRunning)
}
