package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/shared/wire"
)

// AddResult keeps what is known of a result; its text is the caller's matter.
func (s *Store) AddResult(ctx context.Context, r wire.KeptResult) error {
	if r.ID == "" || r.Owner == "" {
		return errors.New("keeping a result: it needs an id and an owner")
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO results (id, conversation, bytes, data, time) VALUES (?, ?, ?, ?, ?)`,
			r.ID, r.Conversation, r.Bytes, data, nanos(r.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	return nil
}

// Result returns what is known of a result, or ErrNotFound.
func (s *Store) Result(ctx context.Context, id string) (wire.KeptResult, error) {
	found, err := collect(ctx, s.reader, func(row *sql.Rows) (r wire.KeptResult, err error) {
		var data []byte
		if err := row.Scan(&data); err != nil {
			return r, err
		}
		return r, json.Unmarshal(data, &r)
	}, "reading a result", `SELECT data FROM results WHERE id = ?`, id)
	if err != nil {
		return wire.KeptResult{}, err
	}
	if len(found) == 0 {
		return wire.KeptResult{}, fmt.Errorf("result %q: %w", id, ErrNotFound)
	}
	return found[0], nil
}

// ResultIDs returns the ids of all results.
func (s *Store) ResultIDs(ctx context.Context) ([]string, error) {
	return collect(ctx, s.reader, func(row *sql.Rows) (id string, err error) { return id, row.Scan(&id) },
		"reading results", `SELECT id FROM results`)
}

// ForgetResults forgets results outside of any conversation that are older than loose, and the
// oldest of all beyond maxBytes.
func (s *Store) ForgetResults(ctx context.Context, loose time.Time, maxBytes int64) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM results WHERE conversation = '' AND time < ?`, nanos(loose)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM results WHERE id IN (SELECT id FROM
			(SELECT id, sum(bytes) OVER (ORDER BY time DESC, id) AS used FROM results) WHERE used > ?)`, maxBytes)
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting results: %w", err)
	}
	return nil
}
