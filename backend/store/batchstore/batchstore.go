// Package batchstore stores batches and their rows in the database.
package batchstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/batch"
)

// Config contains what a Store needs of the database.
type Config struct {
	Reader sqlrows.Queryer
	// Write runs do in one transaction.
	Write func(ctx context.Context, do func(*sql.Tx) error) error
}

// Store stores batches. It is safe for concurrent use.
type Store struct{ cfg Config }

// New returns a Store.
func New(cfg Config) *Store { return &Store{cfg} }

// Batches returns all batches, newest first.
func (s *Store) Batches(ctx context.Context) ([]batch.Batch, error) {
	return sqlrows.Collect(ctx, s.cfg.Reader, sqlrows.ScanJSON[batch.Batch], "reading the batches",
		`SELECT data FROM batches ORDER BY rowid DESC`)
}

// AddBatch stores a new batch with its rows.
func (s *Store) AddBatch(ctx context.Context, one batch.Batch, rows []batch.Row) error {
	return s.write(ctx, "storing a batch", func(tx *sql.Tx) error {
		data, err := json.Marshal(one)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO batches (id, data) VALUES (?, ?)`, one.ID, data); err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, `INSERT INTO batch_rows (batch, number, status, data) VALUES (?, ?, ?, ?)`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, r := range rows {
			data, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if _, err := insert.ExecContext(ctx, one.ID, r.Number, r.Status, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// ChangeBatch changes a stored batch and returns it. It returns sql.ErrNoRows if there is none.
func (s *Store) ChangeBatch(
	ctx context.Context, id string, do func(*batch.Batch) error,
) (one batch.Batch, err error) {
	err = s.write(ctx, "storing a batch", func(tx *sql.Tx) error {
		var data []byte
		if err := tx.QueryRowContext(ctx, `SELECT data FROM batches WHERE id = ?`, id).Scan(&data); err != nil {
			return err
		}
		one = batch.Batch{}
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		if err := do(&one); err != nil {
			return err
		}
		data, err := json.Marshal(one)
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE batches SET data = ? WHERE id = ?`, data, id)
		}
		return err
	})
	return one, err
}

// DeleteBatch deletes a batch with its rows.
func (s *Store) DeleteBatch(ctx context.Context, id string) error {
	return s.write(ctx, "deleting a batch", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM batches WHERE id = ?`, id)
		return err
	})
}

// Rows returns at most limit rows of a batch after the one with the number after, in their order. Without statuses, it
// returns those of any.
func (s *Store) Rows(
	ctx context.Context, id string, after, limit int, statuses ...batch.Status,
) ([]batch.Row, error) {
	list, err := json.Marshal(statuses)
	if err != nil {
		return nil, fmt.Errorf("reading rows: %w", err)
	}
	return sqlrows.Collect(ctx, s.cfg.Reader, sqlrows.ScanJSON[batch.Row], "reading rows",
		`SELECT data FROM batch_rows WHERE batch = ? AND number > ?
		AND (? = 0 OR status IN (SELECT value FROM json_each(?))) ORDER BY number LIMIT ?`,
		id, after, len(statuses), string(list), limit)
}

// Counts returns how many rows of a batch have each status.
func (s *Store) Counts(ctx context.Context, id string) (batch.Counts, error) {
	return CountRows(ctx, s.cfg.Reader, `SELECT status, COUNT(*) FROM batch_rows WHERE batch = ? GROUP BY status`, id)
}

// CountRows returns the result of a query for statuses and counts.
func CountRows(ctx context.Context, from sqlrows.Queryer, query, id string) (batch.Counts, error) {
	type count struct {
		status batch.Status
		n      int
	}
	all, err := sqlrows.Collect(ctx, from, func(row *sql.Rows) (c count, err error) {
		return c, row.Scan(&c.status, &c.n)
	}, "counting rows", query, id)
	counts := batch.Counts{}
	for _, c := range all {
		counts[c.status] = c.n
	}
	return counts, err
}

// SaveRows stores rows that do not run, with a new status.
func (s *Store) SaveRows(ctx context.Context, id string, rows []batch.Row) error {
	return s.write(ctx, "storing rows", func(tx *sql.Tx) error {
		update, err := tx.PrepareContext(ctx, `UPDATE batch_rows SET status = ?, data = ?
			WHERE batch = ? AND number = ? AND status <> 'running'`)
		if err != nil {
			return err
		}
		defer update.Close()
		for _, r := range rows {
			data, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if _, err := update.ExecContext(ctx, r.Status, data, id, r.Number); err != nil {
				return err
			}
		}
		return nil
	})
}

// UpdateRow stores a row if its stored status is still from. It returns false if it is another one, so that a row
// begins and ends once.
func (s *Store) UpdateRow(ctx context.Context, id string, r batch.Row, from batch.Status) (ok bool, err error) {
	err = s.write(ctx, "storing a row", func(tx *sql.Tx) error {
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx,
			`UPDATE batch_rows SET status = ?, data = ? WHERE batch = ? AND number = ? AND status = ?`,
			r.Status, data, id, r.Number, from)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		ok = n == 1
		return err
	})
	return ok, err
}

func (s *Store) write(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	if err := s.cfg.Write(ctx, do); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
