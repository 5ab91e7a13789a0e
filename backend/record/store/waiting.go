package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"sextant/shared/event"
)

// Waiting returns the messages that wait in a conversation, in the order they were sent.
func (s *Store) Waiting(ctx context.Context, conversation string) ([]event.Waiting, error) {
	return collect(ctx, s.reader, func(row *sql.Rows) (event.Waiting, error) {
		var w event.Waiting
		var data []byte
		if err := row.Scan(&data); err != nil {
			return w, err
		}
		return w, json.Unmarshal(data, &w)
	}, "reading messages that wait", `SELECT data FROM waiting WHERE conversation = ? ORDER BY position`, conversation)
}

// projectWaiting keeps a message that waits, in its old place when it is changed, and forgets one
// that was taken or dropped.
func projectWaiting(ctx context.Context, tx *sql.Tx, e event.Event) error {
	var w struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(e.Data, &w); err != nil {
		return err
	}
	if w.ID == "" {
		return errors.New("a message that waits without an id")
	}
	if e.Kind != event.MessageWaiting {
		_, err := tx.ExecContext(ctx, `DELETE FROM waiting WHERE id = ?`, w.ID)
		return err
	}
	if err := ensureConversation(ctx, tx, e.Conversation, e.Time); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO waiting (id, conversation, position, data) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET data = excluded.data`, w.ID, e.Conversation, e.Seq, []byte(e.Data))
	return err
}
