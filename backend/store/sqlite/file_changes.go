package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/wire"
)

// AddFileChange stores how a tool is about to change a file. The store assigns the id.
func (s *Store) AddFileChange(ctx context.Context, c wire.FileChange) error {
	return s.AddFileChanges(ctx, []wire.FileChange{c})
}

// AddFileChanges stores all changes or none. The store assigns the ids, in order.
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
			if _, err := add.ExecContext(ctx, c.Tool, c.Call, c.Turn, c.Conversation, c.Owner, c.Path, c.Before,
				c.After, c.Mode,
				c.AfterMode, c.Note, sqlrows.Nanos(c.Time)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing a file change: %w", err)
	}
	return nil
}

// FileChanges returns the changes of call or, if call is "", of turn without its undos, oldest first. If both are "",
// it returns the changes of the last call in the conversation that changed files and is not an undo. If owner is not
// "", only its changes are returned.
func (s *Store) FileChanges(ctx context.Context, conversation, owner, turn, call string) ([]wire.FileChange, error) {
	where, args := `call = ?`, []any{call}
	switch {
	case call != "":
	case turn != "":
		// An undo in the turn does not count as one of its changes.
		where, args = `turn = ? AND tool <> 'undo'`, []any{turn}
	default:
		where = `call = (SELECT call FROM file_changes
			WHERE conversation = ? AND (? = '' OR owner = ?) AND tool <> 'undo' ORDER BY id DESC LIMIT 1)`
		args = []any{conversation, owner, owner}
	}
	return sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (wire.FileChange, error) {
		var c wire.FileChange
		var at int64
		err := row.Scan(&c.ID, &c.Tool, &c.Call, &c.Turn, &c.Conversation, &c.Owner, &c.Path, &c.Before,
			&c.After, &c.Mode,
			&c.AfterMode, &c.Note, &at)
		c.Time = sqlrows.Time(at)
		return c, err
	}, "reading file changes",
		`SELECT id, tool, call, turn, conversation, owner, path, before, after, mode, after_mode, note, time
		FROM file_changes WHERE `+where+` AND (? = '' OR owner = ?) ORDER BY id`, append(args, owner, owner)...)
}

// RecentlyChangedPaths returns the paths of the newest n changes, without duplicates.
func (s *Store) RecentlyChangedPaths(ctx context.Context, n int) ([]string, error) {
	return sqlrows.Collect(ctx, s.reader, sqlrows.Scan[string], "reading file changes",
		`SELECT DISTINCT path FROM (SELECT path FROM file_changes ORDER BY id DESC LIMIT ?)`, n)
}

// BeginCommand records that a command is about to run and may change files in a folder.
func (s *Store) BeginCommand(ctx context.Context, c wire.Command) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT OR REPLACE INTO commands (call, tool, turn, conversation, owner, folder, time)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			c.Call, c.Tool, c.Turn, c.Conversation, c.Owner, c.Folder, sqlrows.Nanos(c.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("recording a command: %w", err)
	}
	return nil
}

// EndCommand records that a call's command has ended and its changes are stored.
func (s *Store) EndCommand(ctx context.Context, call string) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM commands WHERE call = ?`, call)
		return err
	})
	if err != nil {
		return fmt.Errorf("recording the end of a command: %w", err)
	}
	return nil
}

// RunningCommands returns the commands that have begun and not ended, oldest first.
func (s *Store) RunningCommands(ctx context.Context) ([]wire.Command, error) {
	return sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (wire.Command, error) {
		var c wire.Command
		var at int64
		err := row.Scan(&c.Call, &c.Tool, &c.Turn, &c.Conversation, &c.Owner, &c.Folder, &at)
		c.Time = sqlrows.Time(at)
		return c, err
	}, "reading commands",
		`SELECT call, tool, turn, conversation, owner, folder, time FROM commands ORDER BY time, call`)
}
