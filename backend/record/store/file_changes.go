package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sextant/shared/wire"
)

// AddFileChange keeps what a tool is about to do to a file. Its id is given by the store.
func (s *Store) AddFileChange(ctx context.Context, c wire.FileChange) error {
	if c.Call == "" || c.Path == "" {
		return errors.New("keeping a file change: it needs a call and a path")
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO file_changes (tool, call, turn, conversation, owner, path, before, after, mode, time)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, c.Tool, c.Call, c.Turn, c.Conversation, c.Owner, c.Path, c.Before, c.After, c.Mode, nanos(c.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping a file change: %w", err)
	}
	return nil
}

// FileChanges returns the changes of a call or of a turn, whichever is not "", the oldest
// first. Of neither they are those of the last call in the conversation, "" for outside of any,
// that changed files and undid none. An owner that is not "" leaves only what is theirs.
func (s *Store) FileChanges(ctx context.Context, conversation, owner, turn, call string) ([]wire.FileChange, error) {
	where, args := `call = ?`, []any{call}
	switch {
	case call != "":
	case turn != "":
		// An undo stands beside what it undid, and is no part of it.
		where, args = `turn = ? AND tool <> 'undo'`, []any{turn}
	default:
		where = `call = (SELECT call FROM file_changes
			WHERE conversation = ? AND (? = '' OR owner = ?) AND tool <> 'undo' ORDER BY id DESC LIMIT 1)`
		args = []any{conversation, owner, owner}
	}
	return collect(ctx, s.reader, func(row *sql.Rows) (wire.FileChange, error) {
		var c wire.FileChange
		var time int64
		err := row.Scan(&c.ID, &c.Tool, &c.Call, &c.Turn, &c.Conversation, &c.Owner, &c.Path, &c.Before, &c.After, &c.Mode, &time)
		c.Time = fromNanos(time)
		return c, err
	}, "reading file changes", `SELECT id, tool, call, turn, conversation, owner, path, before, after, mode, time
		FROM file_changes WHERE `+where+` AND (? = '' OR owner = ?) ORDER BY id`, append(args, owner, owner)...)
}
