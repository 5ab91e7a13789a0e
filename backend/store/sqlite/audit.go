package sqlite

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

	"sextant/backend/store/sqlrows"
)

// AuditPhase says whether a row was written before a call took effect or afterwards.
type AuditPhase string

// The two phases of a call.
const (
	AuditIntent AuditPhase = "intent"
	AuditResult AuditPhase = "result"
)

// AuditEntry is one row of the audit chain. Body is an event.CallIntent or an event.CallResult as JSON. Seq, PrevHash
// and Hash are set when the entry is stored.
type AuditEntry struct {
	Seq      int64           `json:"seq"`
	Call     string          `json:"call"`
	Phase    AuditPhase      `json:"phase"`
	Time     time.Time       `json:"time"`
	Body     json.RawMessage `json:"body"`
	PrevHash string          `json:"prev_hash"`
	Hash     string          `json:"hash"`
}

// AuditPair is a call's intent and its result. Result is nil until it is written.
type AuditPair struct {
	Intent AuditEntry
	Result *AuditEntry
}

// Digest returns the correct hash of the entry: SHA-256 over the previous entry's hash and the fields of this one. Each
// part is preceded by its length, so that different entries cannot have the same input.
func (e AuditEntry) Digest() string {
	h := sha256.New()
	at := fmt.Sprint(sqlrows.Nanos(e.Time))
	for _, part := range []string{e.PrevHash, e.Call, string(e.Phase), at, string(e.Body)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Follows reports whether the entry is intact and comes after the one with the hash previous, "" for the first entry.
func (e AuditEntry) Follows(previous string) bool {
	return e.PrevHash == previous && e.Digest() == e.Hash
}

// AppendAudit adds entries to the chain in one transaction. It returns an error for a second intent or result of the
// same call.
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
			e.Call, e.Phase, sqlrows.Nanos(e.Time), []byte(e.Body), e.PrevHash, last); err != nil {
			return err
		}
		if e.Phase == AuditResult {
			if err := s.recorder.RecordCall(ctx, tx, e.Call, e.Body); err != nil {
				return err
			}
		}
	}
	return nil
}

// AuditPairs returns the newest limit calls, newest first. before selects intents with a smaller Seq; 0 selects all.
// The JSON of the intent or of the result must contain each of words, ignoring the case of ASCII letters.
func (s *Store) AuditPairs(ctx context.Context, before int64, limit int, words ...string) ([]AuditPair, error) {
	var where strings.Builder
	args := []any{before, before}
	const contains = `instr(lower(CAST(i.body AS TEXT)), lower(?)) > 0
		OR instr(lower(CAST(r.body AS TEXT)), lower(?)) > 0`
	for _, w := range words {
		written, err := json.Marshal(w)
		if err != nil {
			return nil, fmt.Errorf("searching the audit log for %q: %w", w, err)
		}
		escaped := string(written[1 : len(written)-1])
		where.WriteString(` AND (` + contains + ` OR ` + contains + `)`)
		args = append(args, w, w, escaped, escaped)
	}
	return sqlrows.Collect(ctx, s.reader, scanPair, "reading the audit log",
		selectPairs+` AND (? = 0 OR i.seq < ?)`+where.String()+` ORDER BY i.seq DESC LIMIT ?`, append(args, limit)...)
}

const selectPairs = `SELECT i.seq, i.call, i.phase, i.time, i.body, i.prev_hash, i.hash,
	r.seq, r.time, r.body, r.prev_hash, r.hash
	FROM audit i LEFT JOIN audit r ON r.call = i.call AND r.phase = 'result'
	WHERE i.phase = 'intent'`

// AuditPairsAt returns the calls with intents that have the sequence numbers seqs, newest first.
func (s *Store) AuditPairsAt(ctx context.Context, seqs []int64) ([]AuditPair, error) {
	list, err := json.Marshal(seqs)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	return sqlrows.Collect(ctx, s.reader, scanPair, "reading the audit log",
		selectPairs+` AND i.seq IN (SELECT value FROM json_each(?)) ORDER BY i.seq DESC`, string(list))
}

// AuditPair returns the call with this id. ok is false if there is none.
func (s *Store) AuditPair(ctx context.Context, call string) (pair AuditPair, ok bool, err error) {
	pairs, err := sqlrows.Collect(ctx, s.reader, scanPair, "reading the audit log", selectPairs+` AND i.call = ?`, call)
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
	p.Intent.Time, p.Intent.Body = sqlrows.Time(at), body
	if seq.Valid {
		p.Result = &AuditEntry{
			Seq: seq.Int64, Call: p.Intent.Call, Phase: AuditResult, Time: sqlrows.Time(resultAt.Int64),
			Body: resultBody, PrevHash: prev.String, Hash: hash.String,
		}
	}
	return p, err
}

// AuditEnd returns the entry with the number seq, or the newest for 0. It returns an empty entry if there is none. Only
// Seq, Time and Hash are set.
func (s *Store) AuditEnd(ctx context.Context, seq int64) (e AuditEntry, err error) {
	var at int64
	err = s.reader.QueryRowContext(ctx,
		`SELECT seq, time, hash FROM audit WHERE seq = iif(?1 = 0, (SELECT max(seq) FROM audit), ?1)`, seq).
		Scan(&e.Seq, &at, &e.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		return AuditEntry{}, nil
	}
	if err != nil {
		return AuditEntry{}, fmt.Errorf("reading the audit log: %w", err)
	}
	e.Time = sqlrows.Time(at)
	return e, nil
}

// WalkAudit calls visit with every entry whose Seq is more than after, oldest first. It stops at the first error from
// visit and returns it.
func (s *Store) WalkAudit(ctx context.Context, after int64, visit func(AuditEntry) error) error {
	rows, err := s.reader.QueryContext(ctx,
		`SELECT seq, call, phase, time, body, prev_hash, hash FROM audit WHERE seq > ? ORDER BY seq`, after)
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
		e.Time, e.Body = sqlrows.Time(at), body
		if err := visit(e); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the audit log: %w", err)
	}
	return nil
}
