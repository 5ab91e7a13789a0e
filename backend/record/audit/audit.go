// Package audit is the record of every call: what was about to happen, written before it
// happens, and what did, written after (ARCHITECTURE 14).
//
// The contract: Intent returns only when the row is on disk, so an effect without a row
// cannot be; a call whose process died keeps an intent that the next start closes as
// interrupted. Rows are only ever added and each holds the hash of the one before, so a
// changed, removed or inserted row is found by Verify (a shortened end is not: the chain
// has no anchor outside the file). Values of arguments that look like secrets are the
// caller's to hide before they come here.
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/backend/record/store"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// StatusRunning is the Status of a call in a list that has no result yet.
const StatusRunning = "running"

// Row is what is known before a call's effects. Decision is the policy's verdict or the
// person's answer: allowed, granted, once, conversation, always, denied, refused, none.
type Row struct {
	ID           string          `json:"id"`
	Tool         string          `json:"tool"`
	Origin       toolspec.Origin `json:"origin"`
	Caller       toolspec.Caller `json:"caller"`
	Client       string          `json:"client,omitempty"`
	Conversation string          `json:"conversation,omitempty"`
	Turn         string          `json:"turn,omitempty"`
	Args         json.RawMessage `json:"args"`
	Sentence     string          `json:"sentence"`
	Target       string          `json:"target,omitempty"`
	Decision     string          `json:"decision"`
	Reason       string          `json:"reason,omitempty"`
	// Grant is the id of the standing permission that let it through, "" for none.
	Grant string `json:"grant,omitempty"`
	// Answer is what a person said to the question, AnswerLapsed when nobody did, "" when none
	// was asked; WaitedMS is how long the question waited.
	Answer   string    `json:"answer,omitempty"`
	WaitedMS int64     `json:"waited_ms,omitempty"`
	Started  time.Time `json:"started"`
}

// Outcome is what is known after a call.
type Outcome struct {
	Status     event.CallStatus   `json:"status"`
	Sentence   string             `json:"sentence,omitempty"`
	Preview    []string           `json:"preview,omitempty"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	Sources    []string           `json:"sources,omitempty"`
	Output     string             `json:"output,omitempty"`
	DurationMS int64              `json:"duration_ms"`
	// Tokens is about what the answer costs a model that reads it whole.
	Tokens int `json:"tokens,omitempty"`
	// Changed are the files it changed, absolute paths.
	Changed  []string `json:"changed,omitempty"`
	Undoable bool     `json:"undoable,omitempty"`
	// Kept is set when the result was too long to be handed out in one piece.
	Kept *toolspec.Kept `json:"kept,omitempty"`
}

// AnswerLapsed stands in Row.Answer for a question that nobody answered.
const AnswerLapsed = store.AnswerLapsed

// Log writes and reads the audit chain. Its methods may be called concurrently.
type Log struct{ store *store.Store }

// New returns the Log kept in s.
func New(s *store.Store) *Log { return &Log{store: s} }

// Intent writes what is about to happen. The same ID twice is refused.
func (l *Log) Intent(ctx context.Context, row Row) error {
	entry, err := intent(row)
	if err != nil {
		return err
	}
	return l.store.AppendAudit(ctx, entry)
}

// Done writes how the call id ended. It must have an intent and no outcome yet.
func (l *Log) Done(ctx context.Context, id string, out Outcome) error {
	entry, err := result(id, out)
	if err != nil {
		return err
	}
	return l.store.AppendAudit(ctx, entry)
}

// Record writes both rows at once for a call that ended without any effect: refused,
// declined, not valid.
func (l *Log) Record(ctx context.Context, row Row, out Outcome) error {
	first, err := intent(row)
	if err != nil {
		return err
	}
	second, err := result(row.ID, out)
	if err != nil {
		return err
	}
	return l.store.AppendAudit(ctx, first, second)
}

func intent(row Row) (store.AuditEntry, error) {
	if row.Started.IsZero() {
		row.Started = time.Now().UTC()
	}
	if len(row.Args) == 0 {
		row.Args = json.RawMessage("{}")
	}
	body, err := json.Marshal(row)
	if err != nil {
		return store.AuditEntry{}, fmt.Errorf("writing the audit log: %w", err)
	}
	return store.AuditEntry{Call: row.ID, Phase: store.AuditIntent, Time: row.Started, Body: body}, nil
}

func result(id string, out Outcome) (store.AuditEntry, error) {
	body, err := json.Marshal(out)
	if err != nil {
		return store.AuditEntry{}, fmt.Errorf("writing the audit log: %w", err)
	}
	return store.AuditEntry{Call: id, Phase: store.AuditResult, Time: time.Now().UTC(), Body: body}, nil
}

// List returns the newest limit calls, the newest first; Status is StatusRunning for those
// without an outcome.
func (l *Log) List(ctx context.Context, limit int) ([]wire.CallRow, error) {
	page, err := l.Page(ctx, 0, limit)
	return page.Calls, err
}

// Page is List of the calls older than before (0 for the newest) whose rows hold every one of
// words.
func (l *Log) Page(ctx context.Context, before int64, limit int, words ...string) (wire.AuditPage, error) {
	pairs, err := l.store.AuditPairs(ctx, before, limit, words...)
	if err != nil {
		return wire.AuditPage{}, err
	}
	page := wire.AuditPage{Calls: make([]wire.CallRow, 0, len(pairs))}
	for _, p := range pairs {
		row, err := joined(p)
		if err != nil {
			return wire.AuditPage{}, fmt.Errorf("reading audit entry %d: %w", p.Intent.Seq, err)
		}
		page.Calls = append(page.Calls, row)
	}
	if len(pairs) == limit && limit > 0 {
		page.Before = pairs[len(pairs)-1].Intent.Seq
	}
	return page, nil
}

// One is the call with exactly this id; ok is false when there is none.
func (l *Log) One(ctx context.Context, id string) (row wire.CallRow, ok bool, err error) {
	pair, ok, err := l.store.AuditPair(ctx, id)
	if err != nil || !ok {
		return wire.CallRow{}, false, err
	}
	if row, err = joined(pair); err != nil {
		return wire.CallRow{}, false, fmt.Errorf("reading audit entry %d: %w", pair.Intent.Seq, err)
	}
	return row, true, nil
}

// History gives how long one tool took over a range as it stands at now, with the newest limit calls
// of it in there that failed.
func (l *Log) History(ctx context.Context, tool string, origin toolspec.Origin, r wire.MetricsRange, limit int, now time.Time) (wire.ToolHistory, error) {
	h, pairs, err := l.store.ToolBuckets(ctx, tool, origin, r, limit, now)
	if err != nil {
		return h, err
	}
	h.Failures = make([]wire.CallRow, 0, len(pairs))
	for _, p := range pairs {
		row, err := joined(p)
		if err != nil {
			return h, fmt.Errorf("reading audit entry %d: %w", p.Intent.Seq, err)
		}
		h.Failures = append(h.Failures, row)
	}
	return h, nil
}

func joined(p store.AuditPair) (wire.CallRow, error) {
	var in Row
	if err := json.Unmarshal(p.Intent.Body, &in); err != nil {
		return wire.CallRow{}, err
	}
	row := wire.CallRow{
		ID: in.ID, Tool: in.Tool, Origin: in.Origin, Caller: in.Caller, Client: in.Client,
		Conversation: in.Conversation, Turn: in.Turn, Args: in.Args, Status: StatusRunning,
		Sentence: in.Sentence, Target: in.Target, Decision: in.Decision, Reason: in.Reason, Grant: in.Grant, Started: in.Started,
	}
	if p.Result == nil {
		return row, nil
	}
	var out Outcome
	if err := json.Unmarshal(p.Result.Body, &out); err != nil {
		return wire.CallRow{}, err
	}
	row.Status, row.Preview, row.Error = string(out.Status), out.Preview, out.Error
	row.ErrorType, row.Suggestion, row.Sources = out.ErrorType, out.Suggestion, out.Sources
	row.Output, row.DurationMS, row.Changed, row.Kept, row.Undoable = out.Output, out.DurationMS, out.Changed, out.Kept, out.Undoable
	if out.Sentence != "" {
		row.Sentence = out.Sentence
	}
	return row, nil
}

// Entry is one row of the chain as it is exported.
type Entry struct {
	Seq      int64            `json:"seq"`
	Call     string           `json:"call"`
	Phase    store.AuditPhase `json:"phase"`
	Time     time.Time        `json:"time"`
	Body     json.RawMessage  `json:"body"`
	PrevHash string           `json:"prev_hash"`
	Hash     string           `json:"hash"`
}

// Walk calls visit with every row from the oldest on, until visit returns an error, which is
// returned.
func (l *Log) Walk(ctx context.Context, visit func(Entry) error) error {
	return l.store.WalkAudit(ctx, func(e store.AuditEntry) error { return visit(Entry(e)) })
}

// ErrBroken is wrapped by what Verify returns for a chain that was tampered with.
var ErrBroken = errors.New("the audit log was changed")

// Verify reads the whole chain and returns how many entries hold. It fails with ErrBroken,
// naming the first entry that does not follow from the one before it.
func (l *Log) Verify(ctx context.Context) (int, error) {
	n, last := 0, ""
	err := l.store.WalkAudit(ctx, func(e store.AuditEntry) error {
		if e.PrevHash != last || e.Digest() != e.Hash {
			return fmt.Errorf("%w: entry %d, %s of call %s", ErrBroken, e.Seq, e.Phase, e.Call)
		}
		last = e.Hash
		n++
		return nil
	})
	return n, err
}
