package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/event"
)

const conversationColumns = `id, title, model, status, created, updated, parent, parent_call, pinned, archived, folder`

// readColumns adds a column that is not written with the others. Only its own event changes whether a conversation is
// shared, so that writing an older copy cannot share it again.
const readColumns = conversationColumns + `, shared`

// Conversations returns all conversations, most recently changed first.
func (s *Store) Conversations(ctx context.Context) ([]chat.Conversation, error) {
	return sqlrows.Collect(ctx, s.reader, scanConversation, "reading conversations",
		`SELECT `+readColumns+` FROM conversations ORDER BY updated DESC, id`)
}

const maxShared = 200

// SharedConversations returns the conversations that other programs may read, most recently changed first, at most 200.
func (s *Store) SharedConversations(ctx context.Context) ([]chat.Conversation, error) {
	return sqlrows.Collect(ctx, s.reader, scanConversation, "reading shared conversations",
		`SELECT `+readColumns+` FROM conversations WHERE shared = 1 ORDER BY updated DESC, id LIMIT ?`, maxShared)
}

// Conversation returns one conversation, or ErrNotFound.
func (s *Store) Conversation(ctx context.Context, id string) (chat.Conversation, error) {
	found, err := sqlrows.Collect(ctx, s.reader, scanConversation, "reading a conversation",
		`SELECT `+readColumns+` FROM conversations WHERE id = ?`, id)
	if err != nil {
		return chat.Conversation{}, err
	}
	if len(found) == 0 {
		return chat.Conversation{}, fmt.Errorf("conversation %q: %w", id, ErrNotFound)
	}
	return found[0], nil
}

func scanConversation(row *sql.Rows) (chat.Conversation, error) {
	var c chat.Conversation
	var created, updated int64
	err := row.Scan(&c.ID, &c.Title, &c.Model, &c.Status, &created, &updated, &c.Parent, &c.ParentCall, &c.Pinned,
		&c.Archived, &c.Folder, &c.Shared)
	c.Created, c.Updated = sqlrows.Time(created), sqlrows.Time(updated)
	return c, err
}

func saveConversation(ctx context.Context, tx *sql.Tx, c chat.Conversation) error {
	if c.ID == "" {
		return errors.New("a conversation without an id")
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO conversations (`+conversationColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET title = excluded.title, model = excluded.model,
		status = excluded.status, updated = excluded.updated, pinned = excluded.pinned, archived = excluded.archived,
		folder = excluded.folder`,
		c.ID, c.Title, c.Model, c.Status, sqlrows.Nanos(c.Created), sqlrows.Nanos(c.Updated), c.Parent, c.ParentCall,
		c.Pinned, c.Archived, c.Folder)
	return err
}

// ensureConversation adds a row for messages and turns to refer to, in case their events come before the conversation's
// own.
func ensureConversation(ctx context.Context, tx *sql.Tx, id string, at time.Time) error {
	if id == "" {
		return errors.New("an event without a conversation")
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO conversations (`+conversationColumns+`) VALUES (?, '', '', ?, ?, ?, '', '', 0, 0, '')
		ON CONFLICT (id) DO NOTHING`, id, chat.StatusDone, sqlrows.Nanos(at), sqlrows.Nanos(at))
	return err
}

func touchConversation(ctx context.Context, tx *sql.Tx, id string, at time.Time) error {
	_, err := tx.ExecContext(ctx,
		`UPDATE conversations SET updated = MAX(updated, ?) WHERE id = ?`, sqlrows.Nanos(at), id)
	return err
}

func projectShared(ctx context.Context, tx *sql.Tx, e event.Event) error {
	var s event.Sharing
	if err := json.Unmarshal(e.Data, &s); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE conversations SET shared = ? WHERE id = ?`, s.Shared, s.ID)
	return err
}

// deleteConversation deletes a conversation with its events, grants and results, and those of its subagents. The event
// deletion, which announces this, remains.
func deleteConversation(ctx context.Context, tx *sql.Tx, id string, deletion int64) error {
	if id == "" {
		return errors.New("a deletion without an id")
	}
	children, err := sqlrows.Collect(ctx, tx, sqlrows.Scan[string], "reading the conversations of subagents",
		`SELECT id FROM conversations WHERE parent = ?`, id)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := deleteConversation(ctx, tx, child, deletion); err != nil {
			return err
		}
	}
	for _, q := range []string{
		`DELETE FROM conversations WHERE id = ?1`,
		`DELETE FROM grants WHERE conversation = ?1`,
		`DELETE FROM results WHERE conversation = ?1`,
		`DELETE FROM events WHERE conversation = ?1 AND seq <> ?2`,
		// Events with the conversation's title may belong to no conversation.
		`DELETE FROM events WHERE kind IN ('` + string(event.ConversationCreated) + `', '` +
			string(event.ConversationUpdated) + `') AND json_extract(CAST(data AS TEXT), '$.id') = ?1 AND seq <> ?2`,
	} {
		if _, err := tx.ExecContext(ctx, q, id, deletion); err != nil {
			return err
		}
	}
	return nil
}
