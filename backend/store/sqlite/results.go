package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/wire"
)

// AddResult stores the metadata of a result. The caller stores its text.
func (s *Store) AddResult(ctx context.Context, r wire.StoredResult) error {
	if r.ID == "" || r.Owner == "" {
		return errors.New("storing a result: it needs an id and an owner")
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("storing a result: %w", err)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO results (id, conversation, bytes, data, time) VALUES (?, ?, ?, ?, ?)`,
			r.ID, r.Conversation, r.Bytes, data, sqlrows.Nanos(r.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a result: %w", err)
	}
	return nil
}

// Result returns the metadata of a result, or ErrNotFound.
func (s *Store) Result(ctx context.Context, id string) (wire.StoredResult, error) {
	found, err := sqlrows.Collect(ctx, s.reader, sqlrows.ScanJSON[wire.StoredResult], "reading a result",
		`SELECT data FROM results WHERE id = ?`, id)
	if err != nil {
		return wire.StoredResult{}, err
	}
	if len(found) == 0 {
		return wire.StoredResult{}, fmt.Errorf("result %q: %w", id, ErrNotFound)
	}
	return found[0], nil
}

// ResultIDs returns the ids of all results.
func (s *Store) ResultIDs(ctx context.Context) ([]string, error) {
	return sqlrows.Collect(ctx, s.reader, sqlrows.Scan[string],
		"reading results", `SELECT id FROM results`)
}

// PruneResults deletes results outside conversations that are older than olderThan. Then it deletes the oldest results
// until the rest has at most maxBytes.
func (s *Store) PruneResults(ctx context.Context, olderThan time.Time, maxBytes int64) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx,
			`DELETE FROM results WHERE conversation = '' AND time < ?`, sqlrows.Nanos(olderThan)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM results WHERE id IN (SELECT id FROM
			(SELECT id, sum(bytes) OVER (ORDER BY time DESC, id) AS used FROM results) WHERE used > ?)`, maxBytes)
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting results: %w", err)
	}
	return nil
}
