package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// AuditPhase tells the row written before a call's effects from the one after.
type AuditPhase string

// The two phases of a call.
const (
	AuditIntent AuditPhase = "intent"
	AuditResult AuditPhase = "result"
)

// AuditEntry is one link of the audit chain. Body is JSON whose form is the audit room's.
// Seq, PrevHash and Hash are given when it is stored.
type AuditEntry struct {
	Seq      int64
	Call     string
	Phase    AuditPhase
	Time     time.Time
	Body     json.RawMessage
	PrevHash string
	Hash     string
}

// AuditPair is a call's intent with its result; Result is nil while it runs.
type AuditPair struct {
	Intent AuditEntry
	Result *AuditEntry
}

// Digest is the hash an entry must have: SHA-256 over its predecessor's hash and
// everything in it, each part preceded by its length so that no two entries can agree.
func (e AuditEntry) Digest() string {
	h := sha256.New()
	for _, part := range []string{e.PrevHash, e.Call, string(e.Phase), fmt.Sprint(nanos(e.Time)), string(e.Body)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AppendAudit links entries to the chain in one transaction. A second intent or result of
// the same call is refused.
func (s *Store) AppendAudit(ctx context.Context, entries ...AuditEntry) error {
	err := s.write(ctx, func(tx *sql.Tx) error { return s.appendAudit(ctx, tx, entries) })
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	return nil
}

func (s *Store) appendAudit(ctx context.Context, tx *sql.Tx, entries []AuditEntry) error {
	var last string
	err := tx.QueryRowContext(ctx, `SELECT hash FROM audit ORDER BY seq DESC LIMIT 1`).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	for _, e := range entries {
		if e.Call == "" {
			return errors.New("an entry without its call")
		}
		e.PrevHash = last
		last = e.Digest()
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO audit (call, phase, time, body, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?)`,
			e.Call, e.Phase, nanos(e.Time), []byte(e.Body), e.PrevHash, last); err != nil {
			return err
		}
		if e.Phase == AuditResult {
			if err := s.measureCall(ctx, tx, e.Call, e.Body); err != nil {
				return err
			}
		}
	}
	return nil
}

// AuditPairs returns the newest limit calls, the newest first, of those whose intent has a
// Seq below before (0 for no bound) and whose rows hold every one of words, upper or lower case. The rows
// are JSON: a word is found as it stands there and as JSON writes it.
func (s *Store) AuditPairs(ctx context.Context, before int64, limit int, words ...string) ([]AuditPair, error) {
	var where strings.Builder
	args := []any{before, before}
	const held = `instr(lower(CAST(i.body AS TEXT)), lower(?)) > 0 OR instr(lower(CAST(r.body AS TEXT)), lower(?)) > 0`
	for _, w := range words {
		written, err := json.Marshal(w)
		if err != nil {
			return nil, fmt.Errorf("searching the audit log for %q: %w", w, err)
		}
		escaped := string(written[1 : len(written)-1])
		where.WriteString(` AND (` + held + ` OR ` + held + `)`)
		args = append(args, w, w, escaped, escaped)
	}
	return collect(ctx, s.reader, scanPair, "reading the audit log",
		selectPairs+` AND (? = 0 OR i.seq < ?)`+where.String()+` ORDER BY i.seq DESC LIMIT ?`, append(args, limit)...)
}

const selectPairs = `SELECT i.seq, i.call, i.phase, i.time, i.body, i.prev_hash, i.hash,
	r.seq, r.time, r.body, r.prev_hash, r.hash
	FROM audit i LEFT JOIN audit r ON r.call = i.call AND r.phase = 'result'
	WHERE i.phase = 'intent'`

// AuditPair returns the call with exactly this id; ok is false when there is none.
func (s *Store) AuditPair(ctx context.Context, call string) (pair AuditPair, ok bool, err error) {
	pairs, err := collect(ctx, s.reader, scanPair, "reading the audit log", selectPairs+` AND i.call = ?`, call)
	if err != nil || len(pairs) == 0 {
		return AuditPair{}, false, err
	}
	return pairs[0], true, nil
}

func scanPair(row *sql.Rows) (AuditPair, error) {
	var p AuditPair
	var at int64
	var body, resultBody []byte
	var seq, resultAt sql.NullInt64
	var prev, hash sql.NullString
	err := row.Scan(&p.Intent.Seq, &p.Intent.Call, &p.Intent.Phase, &at, &body, &p.Intent.PrevHash, &p.Intent.Hash,
		&seq, &resultAt, &resultBody, &prev, &hash)
	p.Intent.Time, p.Intent.Body = fromNanos(at), body
	if seq.Valid {
		p.Result = &AuditEntry{
			Seq: seq.Int64, Call: p.Intent.Call, Phase: AuditResult, Time: fromNanos(resultAt.Int64),
			Body: resultBody, PrevHash: prev.String, Hash: hash.String,
		}
	}
	return p, err
}

// WalkAudit calls visit with every entry from the oldest on, until visit returns an error,
// which is returned.
func (s *Store) WalkAudit(ctx context.Context, visit func(AuditEntry) error) error {
	rows, err := s.reader.QueryContext(ctx,
		`SELECT seq, call, phase, time, body, prev_hash, hash FROM audit ORDER BY seq`)
	if err != nil {
		return fmt.Errorf("reading the audit log: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var e AuditEntry
		var at int64
		var body []byte
		if err := rows.Scan(&e.Seq, &e.Call, &e.Phase, &at, &body, &e.PrevHash, &e.Hash); err != nil {
			return fmt.Errorf("reading the audit log: %w", err)
		}
		e.Time, e.Body = fromNanos(at), body
		if err := visit(e); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the audit log: %w", err)
	}
	return nil
}
