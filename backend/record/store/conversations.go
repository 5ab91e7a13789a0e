package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
)

const conversationColumns = `id, title, model, status, created, updated, parent, parent_call`

// conversationRead is read and not written with the others: whether a conversation is shared changes
// by its own event only, so that nobody who kept an older copy shares it anew.
const conversationRead = conversationColumns + `, shared`

// Conversations returns all conversations, the last changed first.
func (s *Store) Conversations(ctx context.Context) ([]chat.Conversation, error) {
	return collect(ctx, s.reader, scanConversation, "reading conversations",
		`SELECT `+conversationRead+` FROM conversations ORDER BY updated DESC, id`)
}

// maxShared bounds the list of shared conversations.
const maxShared = 200

// SharedConversations returns the conversations that other programs may read, the last changed
// first, 200 at most.
func (s *Store) SharedConversations(ctx context.Context) ([]chat.Conversation, error) {
	return collect(ctx, s.reader, scanConversation, "reading shared conversations",
		`SELECT `+conversationRead+` FROM conversations WHERE shared = 1 ORDER BY updated DESC, id LIMIT ?`, maxShared)
}

// Conversation returns one conversation, or ErrNotFound.
func (s *Store) Conversation(ctx context.Context, id string) (chat.Conversation, error) {
	found, err := collect(ctx, s.reader, scanConversation, "reading a conversation",
		`SELECT `+conversationRead+` FROM conversations WHERE id = ?`, id)
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
	err := row.Scan(&c.ID, &c.Title, &c.Model, &c.Status, &created, &updated, &c.Parent, &c.ParentCall, &c.Shared)
	c.Created, c.Updated = fromNanos(created), fromNanos(updated)
	return c, err
}

func saveConversation(ctx context.Context, tx *sql.Tx, c chat.Conversation) error {
	if c.ID == "" {
		return errors.New("a conversation without an id")
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO conversations (`+conversationColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET title = excluded.title, model = excluded.model,
		status = excluded.status, updated = excluded.updated`,
		c.ID, c.Title, c.Model, c.Status, nanos(c.Created), nanos(c.Updated), c.Parent, c.ParentCall)
	return err
}

// ensureConversation makes the row that messages and turns hang on, in case their events
// come before the conversation's own.
func ensureConversation(ctx context.Context, tx *sql.Tx, id string, at time.Time) error {
	if id == "" {
		return errors.New("an event without its conversation")
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO conversations (`+conversationColumns+`) VALUES (?, '', '', ?, ?, ?, '', '')
		ON CONFLICT (id) DO NOTHING`, id, chat.StatusDone, nanos(at), nanos(at))
	return err
}

func touchConversation(ctx context.Context, tx *sql.Tx, id string, at time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE conversations SET updated = MAX(updated, ?) WHERE id = ?`, nanos(at), id)
	return err
}

// projectShared notes whether a conversation is shared.
func projectShared(ctx context.Context, tx *sql.Tx, e event.Event) error {
	var s event.Shared
	if err := json.Unmarshal(e.Data, &s); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE conversations SET shared = ? WHERE id = ?`, s.Shared, s.ID)
	return err
}

// deleteConversation removes a conversation with all its events but the one that says so, and those
// of the subagents that worked for it.
func deleteConversation(ctx context.Context, tx *sql.Tx, id string, said int64) error {
	if id == "" {
		return errors.New("a deletion without an id")
	}
	children, err := collect(ctx, tx, func(row *sql.Rows) (child string, err error) {
		return child, row.Scan(&child)
	}, "reading the talks of subagents", `SELECT id FROM conversations WHERE parent = ?`, id)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := deleteConversation(ctx, tx, child, said); err != nil {
			return err
		}
	}
	for _, q := range []string{
		`DELETE FROM conversations WHERE id = ?1`,
		`DELETE FROM grants WHERE conversation = ?1`,
		`DELETE FROM results WHERE conversation = ?1`,
		`DELETE FROM events WHERE conversation = ?1 AND seq <> ?2`,
		// The events that carry the conversation's title may stand outside of it.
		`DELETE FROM events WHERE kind IN ('` + string(event.ConversationCreated) + `', '` +
			string(event.ConversationUpdated) + `') AND json_extract(CAST(data AS TEXT), '$.id') = ?1 AND seq <> ?2`,
	} {
		if _, err := tx.ExecContext(ctx, q, id, said); err != nil {
			return err
		}
	}
	return nil
}
