package pgqueue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"sextant/backend/store/audit"
	"sextant/backend/store/sqlrows"
)

// Entry is an entry of the audit chain of a worker.
type Entry struct {
	Worker string `json:"worker"`
	audit.Entry
}

// LastAudit returns the number of the newest entry of a worker that is stored, 0 for none.
func (q *Queue) LastAudit(ctx context.Context, worker string) (int64, error) {
	seqs, err := sqlrows.Collect(ctx, q.db, sqlrows.Scan[int64], "reading the audit log of a worker",
		`SELECT coalesce(max(seq), 0) FROM sextant_audit WHERE worker = $1`, worker)
	if err != nil {
		return 0, err
	}
	return seqs[0], nil
}

// AddAudit stores entries of the chain of a worker. One that is stored keeps its place.
func (q *Queue) AddAudit(ctx context.Context, worker string, entries []audit.Entry) error {
	return q.write(ctx, "storing the audit log of a worker", func(tx *sql.Tx) error {
		for _, e := range entries {
			if _, err := tx.ExecContext(ctx, `INSERT INTO sextant_audit
				(worker, seq, call, phase, time, body, prev_hash, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
				ON CONFLICT DO NOTHING`,
				worker, e.Seq, e.Call, e.Phase, sqlrows.Nanos(e.Time), []byte(e.Body), e.PrevHash, e.Hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// WalkAudit calls visit with the entries of all workers, oldest first. It stops at the first error from visit and
// returns it.
func (q *Queue) WalkAudit(ctx context.Context, visit func(Entry) error) error {
	return q.walkAudit(ctx, "time, worker, seq", visit)
}

func (q *Queue) walkAudit(ctx context.Context, order string, visit func(Entry) error) error {
	rows, err := q.db.QueryContext(ctx, `SELECT worker, seq, call, phase, time, body, prev_hash, hash
		FROM sextant_audit ORDER BY `+order)
	if err != nil {
		return fmt.Errorf("reading the audit log: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var e Entry
		var at int64
		var body []byte
		err := rows.Scan(&e.Worker, &e.Seq, &e.Call, &e.Phase, &at, &body, &e.PrevHash, &e.Hash)
		if err != nil {
			return fmt.Errorf("reading the audit log: %w", err)
		}
		e.Time, e.Body = time.Unix(0, at).UTC(), json.RawMessage(body)
		if err := visit(e); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the audit log: %w", err)
	}
	return nil
}

// VerifyAudit reads the chains of all workers and returns how many entries each has. It returns an error that wraps
// audit.ErrBroken and names the first entry that does not match the one before it in its chain.
func (q *Queue) VerifyAudit(ctx context.Context) (map[string]int, error) {
	counts, last := map[string]int{}, map[string]string{}
	err := q.walkAudit(ctx, "worker, seq", func(e Entry) error {
		if !e.Follows(last[e.Worker]) {
			return fmt.Errorf("%w: entry %d of the worker %s, %s of call %s", audit.ErrBroken, e.Seq, e.Worker, e.Phase,
				e.Call)
		}
		last[e.Worker] = e.Hash
		counts[e.Worker]++
		return nil
	})
	return counts, err
}
