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
	return s.AddFileChanges(ctx, []wire.FileChange{c})
}

// AddFileChanges keeps all of changes or none; their ids are given by the store, in order.
func (s *Store) AddFileChanges(ctx context.Context, changes []wire.FileChange) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		add, err := tx.PrepareContext(ctx, `INSERT INTO file_changes
			(tool, call, turn, conversation, owner, path, before, after, mode, after_mode, note, time)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return err
		}
		defer add.Close()
		for _, c := range changes {
			if c.Call == "" || c.Path == "" {
				return errors.New("it needs a call and a path")
			}
			if _, err := add.ExecContext(ctx, c.Tool, c.Call, c.Turn, c.Conversation, c.Owner, c.Path, c.Before, c.After, c.Mode,
				c.AfterMode, c.Note, nanos(c.Time)); err != nil {
				return err
			}
		}
		return nil
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
		err := row.Scan(&c.ID, &c.Tool, &c.Call, &c.Turn, &c.Conversation, &c.Owner, &c.Path, &c.Before, &c.After, &c.Mode,
			&c.AfterMode, &c.Note, &time)
		c.Time = fromNanos(time)
		return c, err
	}, "reading file changes", `SELECT id, tool, call, turn, conversation, owner, path, before, after, mode, after_mode, note, time
		FROM file_changes WHERE `+where+` AND (? = '' OR owner = ?) ORDER BY id`, append(args, owner, owner)...)
}

// ChangedLately are the paths of the newest n changes, each once.
func (s *Store) ChangedLately(ctx context.Context, n int) ([]string, error) {
	return collect(ctx, s.reader, func(row *sql.Rows) (string, error) {
		var path string
		return path, row.Scan(&path)
	}, "reading file changes", `SELECT DISTINCT path FROM (SELECT path FROM file_changes ORDER BY id DESC LIMIT ?)`, n)
}

// BeginCommand notes that a command is about to run which may change files of a folder.
func (s *Store) BeginCommand(ctx context.Context, c wire.Command) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO commands (call, tool, turn, conversation, owner, folder, time)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, c.Call, c.Tool, c.Turn, c.Conversation, c.Owner, c.Folder, nanos(c.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a command: %w", err)
	}
	return nil
}

// EndCommand notes that the command of a call ended and its changes are kept.
func (s *Store) EndCommand(ctx context.Context, call string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM commands WHERE call = ?`, call)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting the end of a command: %w", err)
	}
	return nil
}

// Commands returns those that began and did not end, the oldest first.
func (s *Store) Commands(ctx context.Context) ([]wire.Command, error) {
	return collect(ctx, s.reader, func(row *sql.Rows) (wire.Command, error) {
		var c wire.Command
		var time int64
		err := row.Scan(&c.Call, &c.Tool, &c.Turn, &c.Conversation, &c.Owner, &c.Folder, &time)
		c.Time = fromNanos(time)
		return c, err
	}, "reading commands", `SELECT call, tool, turn, conversation, owner, folder, time FROM commands ORDER BY time, call`)
}
