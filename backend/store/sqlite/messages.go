package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/store/search"
	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/event"
)

const messageColumns = `id, conversation, turn, role, text, calls, call_id, outside, status, time, program, thought,
	files, private`

// Messages returns the messages of a conversation's active branch, including those that it shares with the branches it
// forked from, in order of creation.
func (s *Store) Messages(ctx context.Context, conversation string) ([]chat.Message, error) {
	return sqlrows.Collect(ctx, s.reader, scanMessage, "reading messages", branchPath+`SELECT `+messageColumns+`
		FROM messages AS m JOIN path ON m.branch = path.in_branch AND m.position <= path.upto
		WHERE m.conversation = ?1 ORDER BY m.position`, conversation)
}

// Message returns one message, or ErrNotFound.
func (s *Store) Message(ctx context.Context, id string) (chat.Message, error) {
	found, err := sqlrows.Collect(ctx, s.reader, scanMessage, "reading a message",
		`SELECT `+messageColumns+` FROM messages WHERE id = ?`, id)
	if err != nil {
		return chat.Message{}, err
	}
	if len(found) == 0 {
		return chat.Message{}, fmt.Errorf("message %q: %w", id, ErrNotFound)
	}
	return found[0], nil
}

func scanMessage(row *sql.Rows) (chat.Message, error) {
	var m chat.Message
	var calls, outside, files, private []byte
	var at int64
	err := row.Scan(&m.ID, &m.Conversation, &m.Turn, &m.Role, &m.Text, &calls, &m.CallID, &outside, &m.Status,
		&at, &m.FromProgram, &m.Reasoning, &files, &private)
	if err != nil {
		return m, err
	}
	m.Time = sqlrows.Time(at)
	if m.Role == chat.RoleSummary {
		m.CallID, m.CoversThrough = "", m.CallID
	}
	return m, errors.Join(decodeOptional(calls, &m.Calls), decodeOptional(outside, &m.Outside),
		decodeOptional(files, &m.Files), decodeOptional(private, &m.Private))
}

func decodeOptional(data []byte, into any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, into)
}

// saveMessage writes a message to the active branch. It replaces a message with the same id in place; this is how a
// streamed message becomes the final one.
func saveMessage(ctx context.Context, tx *sql.Tx, m chat.Message, e event.Event) error {
	if m.ID == "" {
		return errors.New("a message without an id")
	}
	if err := ensureConversation(ctx, tx, m.Conversation, e.Time); err != nil {
		return err
	}
	calls, err := encodeOptional(m.Calls, len(m.Calls))
	if err != nil {
		return err
	}
	outside, err := encodeOptional(m.Outside, len(m.Outside))
	if err != nil {
		return err
	}
	files, err := encodeOptional(m.Files, len(m.Files))
	if err != nil {
		return err
	}
	private, err := encodeOptional(m.Private, len(m.Private))
	if err != nil {
		return err
	}
	if m.Role == chat.RoleSummary {
		m.CallID = m.CoversThrough // a summary answers no call, so the column contains the last message that it covers
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO messages
		(id, conversation, turn, position, role, text, calls, call_id, outside, status, time, program, thought, files,
		private, branch)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
		(SELECT branch FROM conversations WHERE id = ?2))
		ON CONFLICT (id) DO UPDATE SET turn = excluded.turn, role = excluded.role, text = excluded.text,
		calls = excluded.calls, call_id = excluded.call_id, outside = excluded.outside, status = excluded.status,
		thought = excluded.thought, files = excluded.files, private = excluded.private`,
		m.ID, m.Conversation, m.Turn, e.Seq, m.Role, m.Text, calls, m.CallID, outside, m.Status,
		sqlrows.Nanos(m.Time), m.FromProgram, m.Reasoning, files, private)
	if err != nil {
		return err
	}
	if err := search.Put(ctx, tx, m); err != nil {
		return err
	}
	return touchConversation(ctx, tx, m.Conversation, e.Time)
}

func encodeOptional(v any, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	return json.Marshal(v)
}

// The first event of a message may be a delta.
func appendText(ctx context.Context, tx *sql.Tx, message, text string, e event.Event) error {
	if message == "" {
		return errors.New("a delta without its message")
	}
	done, err := tx.ExecContext(ctx, `UPDATE messages SET text = text || ? WHERE id = ?`, text, message)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n > 0 {
		return err
	}
	m := chat.Message{ID: message, Role: chat.RoleAssistant, Text: text, Status: chat.StatusRunning}
	return saveMessage(ctx, tx, withOrigin(m, e), e)
}
