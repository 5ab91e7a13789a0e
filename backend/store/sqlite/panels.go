package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/wire"
)

// AcceptedPanels returns the stored acceptance of every panel, sorted by panel id.
func (s *Store) AcceptedPanels(ctx context.Context) ([]wire.AcceptedPanel, error) {
	return acceptedPanels(ctx, s.reader)
}

func acceptedPanels(ctx context.Context, db *sql.DB) ([]wire.AcceptedPanel, error) {
	return sqlrows.Collect(ctx, db, func(row *sql.Rows) (wire.AcceptedPanel, error) {
		var p wire.AcceptedPanel
		var tools string
		if err := row.Scan(&p.Panel, &p.Hash, &p.Manifest, &tools, &p.Declined); err != nil {
			return p, err
		}
		return p, json.Unmarshal([]byte(tools), &p.Tools)
	}, "reading accepted panels", `SELECT panel, hash, manifest, tools, declined FROM accepted_panels ORDER BY panel`)
}

// ReadAcceptedPanels reads the accepted panels of the database at path, even while another process owns it. It returns
// none if the file or the table does not exist.
func ReadAcceptedPanels(ctx context.Context, path string) ([]wire.AcceptedPanel, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	db, err := sql.Open("sqlite3", dsn(path, "mode=ro"))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	defer db.Close()
	tables := 0
	if err := db.QueryRowContext(ctx,
		`SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'accepted_panels'`).Scan(&tables); err != nil {
		return nil, fmt.Errorf("reading accepted panels: %w", err)
	}
	if tables == 0 {
		return nil, nil
	}
	return acceptedPanels(ctx, db)
}

// SaveAcceptedPanels stores all panels or none, and replaces earlier versions.
func (s *Store) SaveAcceptedPanels(ctx context.Context, panels []wire.AcceptedPanel) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, p := range panels {
			tools, err := json.Marshal(p.Tools)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx,
				`INSERT OR REPLACE INTO accepted_panels (panel, hash, manifest, tools, declined, time)
				VALUES (?, ?, ?, ?, ?, ?)`,
				p.Panel, p.Hash, p.Manifest, string(tools), p.Declined, sqlrows.Nanos(time.Now())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing accepted panels: %w", err)
	}
	return nil
}

// PinnedPanels returns the ids of the pinned panels, in the order in which they were pinned.
func (s *Store) PinnedPanels(ctx context.Context) ([]string, error) {
	return sqlrows.Collect(ctx, s.reader, sqlrows.Scan[string], "reading pinned panels",
		`SELECT panel FROM pinned_panels ORDER BY time, panel`)
}

// PinPanel stores whether a panel is pinned.
func (s *Store) PinPanel(ctx context.Context, panel string, pinned bool) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		query, args := `DELETE FROM pinned_panels WHERE panel = ?`, []any{panel}
		if pinned {
			query, args = `INSERT OR IGNORE INTO pinned_panels (panel, time) VALUES (?, ?)`, []any{
				panel,
				sqlrows.Nanos(time.Now()),
			}
		}
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("pinning panel %s: %w", panel, err)
	}
	return nil
}

// AddPanelUndo stores how to undo a call and replaces what was stored for the same call.
func (s *Store) AddPanelUndo(ctx context.Context, u wire.PanelUndo) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO panel_undos
			(call, turn, conversation, owner, panel, tool, did, method, path, body, state, why, time)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			u.Call, u.Turn, u.Conversation, u.Owner, u.Panel, u.Tool, u.Sentence, u.Method, u.Path, u.Body, u.State,
			u.Reason,
			sqlrows.Nanos(u.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing how call %s is undone: %w", u.Call, err)
	}
	return nil
}

// ChangePanelUndoState changes the state of a call's undo from one state to another, and sets its reason. moved is
// false if it was in a different state, so that of two concurrent undos of a call only one runs.
func (s *Store) ChangePanelUndoState(
	ctx context.Context, call string, from, to wire.UndoState, why string,
) (moved bool, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx,
			`UPDATE panel_undos SET state = ?, why = ? WHERE call = ? AND state = ?`, to, why, call, from)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		moved = n == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("recording the undo of call %s: %w", call, err)
	}
	return moved, nil
}

// PanelUndos returns what is stored to undo call or, if call is "", the calls of turn. If both are "", it returns the
// last call in the conversation that was not undone. If owner is not "", only its calls are returned.
func (s *Store) PanelUndos(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error) {
	where, args := `call = ?`, []any{call}
	switch {
	case call != "":
	case turn != "":
		where, args = `turn = ?`, []any{turn}
	default:
		where = `id = (SELECT max(id) FROM panel_undos WHERE conversation = ? AND state <> 'undone' AND (? = '' OR owner = ?))`
		args = []any{conversation, owner, owner}
	}
	return sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (wire.PanelUndo, error) {
		var u wire.PanelUndo
		var at int64
		err := row.Scan(&u.ID, &u.Call, &u.Turn, &u.Conversation, &u.Owner, &u.Panel, &u.Tool, &u.Sentence,
			&u.Method, &u.Path, &u.Body, &u.State, &u.Reason, &at)
		u.Time = sqlrows.Time(at)
		return u, err
	}, "reading undos of panels",
		`SELECT id, call, turn, conversation, owner, panel, tool, did, method, path, body, state, why, time
		FROM panel_undos WHERE `+where+` AND (? = '' OR owner = ?) ORDER BY id`, append(args, owner, owner)...)
}
