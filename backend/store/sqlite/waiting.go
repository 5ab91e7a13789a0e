package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"sextant/backend/store/sqlrows"
	"sextant/shared/event"
)

// WaitingMessages returns the waiting messages of a conversation, in the order in which they were sent.
func (s *Store) WaitingMessages(ctx context.Context, conversation string) ([]event.WaitingMessage, error) {
	return sqlrows.Collect(ctx, s.reader, sqlrows.ScanJSON[event.WaitingMessage], "reading messages that wait",
		`SELECT data FROM waiting WHERE conversation = ? ORDER BY position`, conversation)
}

// projectWaiting stores a waiting message, in its old place if it was changed, or deletes one that was used or dropped.
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
