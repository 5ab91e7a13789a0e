// Package audit records calls: first what a call is about to do, its intent, and afterwards what it did, its result.
//
// When WriteIntent returns without an error, the row is on disk, so a caller that waits for it has a row before any
// effect. A call whose process died has an intent without a result, which the next start closes as interrupted. Rows
// are only added, and each contains the hash of the row before it, so Verify detects a row that was changed, removed or
// inserted without computing the later hashes again. A HeadKeeper detects missing rows at the end. Callers must hide
// secret arguments before they pass them.
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/backend/store/sqlite"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// StatusRunning is the status in a list of a call without a result.
const StatusRunning = "running"

// Log writes and reads the audit chain. It is safe for concurrent use.
type Log struct {
	store *sqlite.Store
	// written has a value when rows were added.
	written chan struct{}
}

// New returns a Log that stores its rows in s.
func New(s *sqlite.Store) *Log { return &Log{store: s, written: make(chan struct{}, 1)} }

func (l *Log) append(ctx context.Context, entries ...Entry) error {
	defer func() {
		select {
		case l.written <- struct{}{}:
		default:
		}
	}()
	return l.store.AppendAudit(ctx, entries...)
}

// WriteIntent writes what a call is about to do. It fails if the call already has an intent.
func (l *Log) WriteIntent(ctx context.Context, row event.CallIntent) error {
	entry, err := intent(row)
	if err != nil {
		return err
	}
	return l.append(ctx, entry)
}

// WriteResult writes how a call ended. The call must have an intent and no result yet.
func (l *Log) WriteResult(ctx context.Context, id string, out event.CallResult) error {
	entry, err := result(id, out)
	if err != nil {
		return err
	}
	return l.append(ctx, entry)
}

// WriteCall writes both rows at once, for a call that ended without an effect: refused, declined or invalid.
func (l *Log) WriteCall(ctx context.Context, row event.CallIntent, out event.CallResult) error {
	first, err := intent(row)
	if err != nil {
		return err
	}
	second, err := result(row.ID, out)
	if err != nil {
		return err
	}
	return l.append(ctx, first, second)
}

func intent(row event.CallIntent) (sqlite.AuditEntry, error) {
	if row.Started.IsZero() {
		row.Started = time.Now().UTC()
	}
	if len(row.Args) == 0 {
		row.Args = json.RawMessage("{}")
	}
	body, err := json.Marshal(row)
	if err != nil {
		return sqlite.AuditEntry{}, fmt.Errorf("writing the audit log: %w", err)
	}
	return sqlite.AuditEntry{Call: row.ID, Phase: sqlite.AuditIntent, Time: row.Started, Body: body}, nil
}

func result(id string, out event.CallResult) (sqlite.AuditEntry, error) {
	body, err := json.Marshal(out)
	if err != nil {
		return sqlite.AuditEntry{}, fmt.Errorf("writing the audit log: %w", err)
	}
	return sqlite.AuditEntry{Call: id, Phase: sqlite.AuditResult, Time: time.Now().UTC(), Body: body}, nil
}

// List returns the newest limit calls, newest first. Calls without a result have the status StatusRunning.
func (l *Log) List(ctx context.Context, limit int) ([]wire.CallRow, error) {
	page, err := l.Page(ctx, 0, limit)
	return page.Calls, err
}

// Page returns the newest limit calls that are older than before and contain each of words. 0 for before means no
// bound.
func (l *Log) Page(ctx context.Context, before int64, limit int, words ...string) (wire.AuditPage, error) {
	pairs, err := l.store.AuditPairs(ctx, before, limit, words...)
	if err != nil {
		return wire.AuditPage{}, err
	}
	page := wire.AuditPage{}
	if page.Calls, err = callRows(pairs); err != nil {
		return wire.AuditPage{}, err
	}
	if len(pairs) == limit && limit > 0 {
		page.Before = pairs[len(pairs)-1].Intent.Seq
	}
	return page, nil
}

// Get returns the call with this id. ok is false if there is none.
func (l *Log) Get(ctx context.Context, id string) (row wire.CallRow, ok bool, err error) {
	pair, ok, err := l.store.AuditPair(ctx, id)
	if err != nil || !ok {
		return wire.CallRow{}, false, err
	}
	row, err = callRow(pair)
	return row, err == nil, err
}

// ToolHistory returns the durations of one tool's calls in a range that ends at now, and the newest failed calls in it,
// at most limit.
func (l *Log) ToolHistory(
	ctx context.Context, tool string, origin toolspec.Origin, r wire.MetricsRange, limit int, now time.Time,
) (wire.ToolHistory, error) {
	h, failed, err := l.store.ToolHistory(ctx, tool, origin, r, limit, now)
	if err != nil {
		return h, err
	}
	pairs, err := l.store.AuditPairsAt(ctx, failed)
	if err != nil {
		return h, err
	}
	h.Failures, err = callRows(pairs)
	return h, err
}

func callRows(pairs []sqlite.AuditPair) ([]wire.CallRow, error) {
	rows := make([]wire.CallRow, 0, len(pairs))
	for _, p := range pairs {
		row, err := callRow(p)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func callRow(p sqlite.AuditPair) (wire.CallRow, error) {
	var in event.CallIntent
	if err := json.Unmarshal(p.Intent.Body, &in); err != nil {
		return wire.CallRow{}, fmt.Errorf("reading audit entry %d: %w", p.Intent.Seq, err)
	}
	row := wire.CallRow{CallRecord: in.CallRecord, Status: StatusRunning}
	if p.Result == nil {
		return row, nil
	}
	var out event.CallResult
	if err := json.Unmarshal(p.Result.Body, &out); err != nil {
		return wire.CallRow{}, fmt.Errorf("reading audit entry %d: %w", p.Result.Seq, err)
	}
	row.Status, row.CallOutcome = string(out.Status), out.CallOutcome
	if out.Sentence != "" {
		row.Sentence = out.Sentence
	}
	return row, nil
}

// Entry is one row of the chain as it is exported.
type Entry = sqlite.AuditEntry

// Walk calls visit with every row whose Seq is more than after, oldest first. It stops at the first error from visit
// and returns it.
func (l *Log) Walk(ctx context.Context, after int64, visit func(Entry) error) error {
	return l.store.WalkAudit(ctx, after, visit)
}

// ErrBroken means that the chain was changed. Verify wraps it.
var ErrBroken = errors.New("the audit log was changed")

// Verify reads the chain until the first entry that does not match the one before it, and returns the number of entries
// before that one. If there is such an entry, it returns an error that wraps ErrBroken and names it.
func (l *Log) Verify(ctx context.Context) (int, error) {
	n, last := 0, ""
	err := l.store.WalkAudit(ctx, 0, func(e sqlite.AuditEntry) error {
		if !e.Follows(last) {
			return fmt.Errorf("%w: entry %d, %s of call %s", ErrBroken, e.Seq, e.Phase, e.Call)
		}
		last = e.Hash
		n++
		return nil
	})
	return n, err
}
