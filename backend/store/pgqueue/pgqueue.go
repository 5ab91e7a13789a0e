// Package pgqueue stores batches in a Postgres database that several programs use at the same time: those that add
// batches, and the workers that run their rows.
//
// A worker that runs a row holds a lease on it, which it renews. If it stops doing so, another worker ends the row.
// Leases use the clock of the database, so that the clocks of the workers do not matter.
package pgqueue

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"sextant/backend/store/batchstore"
	"sextant/backend/store/sqlrows"
	"sextant/shared/batch"
)

// Lease is how long a row belongs to a worker that does not renew its lease.
const Lease = 30 * time.Second

//go:embed migrations/*.sql
var migrations embed.FS

// Queue is the batches of a database. It implements batch.Shared, and is safe for concurrent use.
type Queue struct {
	db   *sql.DB
	host string
}

// Open connects to the database at an address such as postgres://user:password@host/name, and creates its tables if it
// has none.
func Open(ctx context.Context, address string) (*Queue, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil || address == "" {
		return nil, errors.New("the address of the queue is not valid; one looks like postgres://user@host/database")
	}
	q := &Queue{
		db: stdlib.OpenDB(*config), host: fmt.Sprintf("%s:%d", config.Host, config.Port),
	}
	if err := q.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the queue at %s: %w", q.host, err), q.db.Close())
	}
	return q, nil
}

func (q *Queue) migrate(ctx context.Context) error {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, q.db, folder, goose.WithDisableGlobalRegistry(true),
		goose.WithSessionLocker(locker), goose.WithTableName("sextant_versions"))
	if err == nil {
		_, err = provider.Up(ctx)
	}
	return err
}

// PageURL returns the address at which a page could connect to the database, "" for a socket.
func (q *Queue) PageURL() string {
	if strings.HasPrefix(q.host, "/") {
		return ""
	}
	return "http://" + q.host
}

// Close closes the connections.
func (q *Queue) Close() error { return q.db.Close() }

// Batches returns all batches, newest first.
func (q *Queue) Batches(ctx context.Context) ([]batch.Batch, error) {
	return sqlrows.Collect(ctx, q.db, sqlrows.ScanJSON[batch.Batch], "reading the batches",
		`SELECT data FROM sextant_batches ORDER BY added DESC`)
}

// AddBatch stores a new batch with its rows.
func (q *Queue) AddBatch(ctx context.Context, one batch.Batch, rows []batch.Row) error {
	return q.write(ctx, "storing a batch", func(tx *sql.Tx) error {
		data, err := json.Marshal(one)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO sextant_batches (id, data) VALUES ($1, $2)`, one.ID,
			string(data)); err != nil {
			return err
		}
		list, err := texts(rows)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO sextant_batch_rows (batch, number, status, hosts, data)
			SELECT $1, number, status, hosts, data FROM `+rowsOf, one.ID, list)
		return err
	})
}

// rowsOf is the parameter $2, rows as JSON, as a table.
const rowsOf = `(SELECT (row ->> 'number')::integer AS number, row ->> 'status' AS status, row AS data,
	ARRAY(SELECT json_array_elements_text(coalesce(row -> 'hosts', '[]'))) AS hosts
	FROM (SELECT text::json AS row FROM unnest($2::text[]) AS text) AS texts) AS changed`

// texts returns values as JSON, one by one.
func texts[T any](all []T) ([]string, error) {
	list := make([]string, len(all))
	for i, one := range all {
		text, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		list[i] = string(text)
	}
	return list, nil
}

// ChangeBatch changes a stored batch and returns it. It returns sql.ErrNoRows if there is none.
func (q *Queue) ChangeBatch(
	ctx context.Context, id string, do func(*batch.Batch) error,
) (one batch.Batch, err error) {
	err = q.write(ctx, "storing a batch", func(tx *sql.Tx) error {
		if one, err = lockBatch(ctx, tx, id); err != nil {
			return err
		}
		if err := do(&one); err != nil {
			return err
		}
		return saveBatch(ctx, tx, one)
	})
	return one, err
}

// lockBatch reads a batch. Nobody else changes it, begins one of its rows or lets rows wait until tx ends.
func lockBatch(ctx context.Context, tx *sql.Tx, id string) (one batch.Batch, err error) {
	var data []byte
	row := tx.QueryRowContext(ctx, `SELECT data FROM sextant_batches WHERE id = $1 FOR UPDATE`, id)
	if err := row.Scan(&data); err != nil {
		return one, err
	}
	return one, json.Unmarshal(data, &one)
}

func saveBatch(ctx context.Context, tx *sql.Tx, one batch.Batch) error {
	data, err := json.Marshal(one)
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE sextant_batches SET data = $1 WHERE id = $2`, string(data), one.ID)
	}
	return err
}

// DeleteBatch deletes a batch with its rows.
func (q *Queue) DeleteBatch(ctx context.Context, id string) error {
	return q.write(ctx, "deleting a batch", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sextant_batches WHERE id = $1`, id)
		return err
	})
}

// Rows returns at most limit rows of a batch after the one with the number after, in their order. Without statuses, it
// returns those of any.
func (q *Queue) Rows(
	ctx context.Context, id string, after, limit int, statuses ...batch.Status,
) ([]batch.Row, error) {
	return sqlrows.Collect(ctx, q.db, sqlrows.ScanJSON[batch.Row], "reading rows", `SELECT data FROM sextant_batch_rows
		WHERE batch = $1 AND number > $2 AND ($3 = 0 OR status = ANY ($4)) ORDER BY number LIMIT $5`,
		id, after, len(statuses), append([]batch.Status{}, statuses...), limit)
}

// Counts returns how many rows of a batch have each status.
func (q *Queue) Counts(ctx context.Context, id string) (batch.Counts, error) {
	return counts(ctx, q.db, id)
}

func counts(ctx context.Context, from sqlrows.Queryer, id string) (batch.Counts, error) {
	return batchstore.CountRows(ctx, from,
		`SELECT status, COUNT(*) FROM sextant_batch_rows WHERE batch = $1 GROUP BY status`, id)
}

// SaveRows stores rows that do not run, with a new status. A row that has run since it was read stays as it is.
func (q *Queue) SaveRows(ctx context.Context, id string, rows []batch.Row) error {
	return q.write(ctx, "storing rows", func(tx *sql.Tx) error {
		if _, err := lockBatch(ctx, tx, id); err != nil {
			return err
		}
		list, err := texts(rows)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE sextant_batch_rows AS old SET status = changed.status, hosts = changed.hosts,
			data = changed.data FROM `+rowsOf+`
			WHERE batch = $1 AND old.number = changed.number AND old.status <> 'running'
			AND old.data ->> 'tries' IS NOT DISTINCT FROM changed.data ->> 'tries'`, id, list)
		return err
	})
}

// UpdateRow stores a row that was claimed. It returns false if that claim is over, or if its stored status is not from.
func (q *Queue) UpdateRow(
	ctx context.Context, id string, r batch.Row, from batch.Status,
) (ok bool, err error) {
	err = q.write(ctx, "storing a row", func(tx *sql.Tx) error {
		ok, err = updateRow(ctx, tx, id, r, from)
		return err
	})
	return ok, err
}

func updateRow(ctx context.Context, tx *sql.Tx, id string, r batch.Row, from batch.Status) (bool, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	done, err := tx.ExecContext(ctx, `UPDATE sextant_batch_rows SET status = $1, data = $2
		WHERE batch = $3 AND number = $4 AND status = $5 AND claim = $6`,
		r.Status, string(data), id, r.Number, from, r.Claim)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

// Claim begins the first row of a batch whose hosts are free, if the batch runs, and holds it. ok is false if there is
// none. A batch of which no row is left is stored as done. It returns the batch as it is then.
func (q *Queue) Claim(ctx context.Context, id string) (one batch.Batch, r batch.Row, ok bool, err error) {
	err = q.write(ctx, "beginning a row", func(tx *sql.Tx) error {
		if one, err = lockBatch(ctx, tx, id); err != nil || one.State != batch.StateRunning {
			return err
		}
		found, err := sqlrows.Collect(ctx, tx, sqlrows.ScanJSON[batch.Row], "reading rows", `
			WITH full_hosts AS (
				SELECT host FROM sextant_batch_rows, unnest(hosts) AS host WHERE batch = $1 AND status = 'running'
				GROUP BY host HAVING COUNT(*) >= $2 AND $2 > 0)
			SELECT data FROM sextant_batch_rows WHERE batch = $1 AND status = 'queued'
			AND NOT hosts && ARRAY(SELECT host FROM full_hosts) ORDER BY number LIMIT 1`, id, one.PerHost)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return finish(ctx, tx, &one)
		}
		r, ok = found[0], true
		r.Status, r.Tries, r.Claim = batch.StatusRunning, r.Tries+1, rand.Text()
		if err := tx.QueryRowContext(ctx, `SELECT now()`).Scan(&r.Started); err != nil {
			return err
		}
		r.Started = r.Started.UTC()
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE sextant_batch_rows SET status = $1, data = $2, claim = $3,
			lease = now() + make_interval(secs => $4) WHERE batch = $5 AND number = $6`,
			r.Status, string(data), r.Claim, Lease.Seconds(), id, r.Number)
		return err
	})
	return one, r, ok && err == nil, err
}

// finish stores a batch as done if none of its rows waits or runs.
func finish(ctx context.Context, tx *sql.Tx, one *batch.Batch) error {
	counts, err := counts(ctx, tx, one.ID)
	if err != nil || counts[batch.StatusQueued]+counts[batch.StatusRunning] > 0 {
		return err
	}
	one.State, one.Ended = batch.StateDone, time.Now().UTC()
	return saveBatch(ctx, tx, *one)
}

// Renew extends the leases of claims and returns those that still hold their rows.
func (q *Queue) Renew(ctx context.Context, claims []string) ([]string, error) {
	return sqlrows.Collect(ctx, q.db, sqlrows.Scan[string], "renewing the leases",
		`UPDATE sextant_batch_rows SET lease = now() + make_interval(secs => $1)
		WHERE claim = ANY ($2) AND status = 'running' RETURNING claim`, Lease.Seconds(), append([]string{}, claims...))
}

// Sweep ends the rows whose leases are over. end says how. It returns how many there were.
func (q *Queue) Sweep(ctx context.Context, end func(*batch.Row)) (n int, err error) {
	type held struct {
		batch string
		row   batch.Row
	}
	err = q.write(ctx, "ending the rows of workers that are gone", func(tx *sql.Tx) error {
		all, err := sqlrows.Collect(ctx, tx, func(rows *sql.Rows) (h held, err error) {
			var data []byte
			if err := rows.Scan(&h.batch, &h.row.Claim, &data); err != nil {
				return h, err
			}
			return h, json.Unmarshal(data, &h.row)
		}, "reading rows", `SELECT batch, claim, data FROM sextant_batch_rows
			WHERE status = 'running' AND lease < now() ORDER BY batch, number FOR UPDATE SKIP LOCKED`)
		if err != nil {
			return err
		}
		for _, h := range all {
			end(&h.row)
			if _, err := updateRow(ctx, tx, h.batch, h.row, batch.StatusRunning); err != nil {
				return err
			}
		}
		n = len(all)
		return nil
	})
	return n, err
}

func (q *Queue) write(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	tx, err := q.db.BeginTx(ctx, nil)
	if err == nil {
		defer func() { _ = tx.Rollback() }() // does nothing after Commit
		if err = do(tx); err == nil {
			err = tx.Commit()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
