package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// MaxHits is the most hits of a page.
const MaxHits = 200

// Request is a search. Conversation restricts it to one conversation, "" for all. Before is the cursor of a page, 0 for
// the first one.
type Request struct {
	Text         string
	Conversation string
	Limit        int
	Before       int64
}

// Reader searches. It is safe for concurrent use.
type Reader struct {
	db *sql.DB
	// Zone is the time zone of the dates in queries.
	Zone *time.Location
}

// NewReader returns a Reader of db that uses the local time zone.
func NewReader(db *sql.DB) *Reader { return &Reader{db: db, Zone: time.Local} }

// Find returns the messages that have all words of a request and fit its filters. A query without either finds nothing.
// An error for a person's mistake in the query is a QueryError. SearchHit.Shown is false in all hits.
func (r *Reader) Find(ctx context.Context, req Request) (wire.SearchPage, error) {
	page := wire.SearchPage{Hits: []wire.SearchHit{}}
	q, err := parse(req.Text, r.Zone)
	if err != nil || q.isEmpty() {
		return page, err
	}
	if req.Conversation != "" {
		q.tags = append(q.tags, tag(tagConversation, req.Conversation))
	}
	limit := min(max(req.Limit, 1), MaxHits)
	query, args := q.statement(req.Before, limit+1)
	found, err := sqlrows.Collect(ctx, r.db, scanFound, "searching", query, args...)
	if err != nil {
		return page, err
	}
	if len(found) > limit {
		found = found[:limit]
		page.Next = found[limit-1].id
	}
	for _, f := range found {
		h := f.hit
		h.Snippet, h.Call = snippet(partsOf(f.message), q.terms)
		page.Hits = append(page.Hits, h)
	}
	page.Indexing, err = r.isIndexing(ctx)
	return page, err
}

// statement returns the SQL that reads the rows of q below the row before, 0 for all.
func (q query) statement(before int64, limit int) (string, []any) {
	if before <= 0 {
		before = math.MaxInt64
	}
	if !q.until.IsZero() {
		before = min(before, q.until.UnixMilli())
	}
	from, match := int64(0), q.match()
	if !q.from.IsZero() {
		from = q.from.UnixMilli()
	}
	args := []any{before, from, limit}
	rows := `SELECT id FROM search_rows WHERE id < ?1 AND id >= ?2 ORDER BY id DESC LIMIT ?3`
	if match != "" {
		rows = `SELECT rowid AS id FROM search_index WHERE search_index MATCH ?4 AND rowid < ?1 AND rowid >= ?2
			ORDER BY rowid DESC LIMIT ?3`
		args = append(args, match)
	}
	return `SELECT r.id, m.id, m.conversation, m.turn, m.position, m.branch, m.role, m.text, m.calls, m.call_id, m.outside,
		m.status, m.time, c.title, c.parent, c.parent_call, COALESCE((SELECT MIN(e.seq) FROM events AS e
			WHERE e.call = c.parent_call AND e.call <> '' AND e.kind = '` + string(event.CallStarted) + `'), 0)
		FROM (` + rows + `) AS f JOIN search_rows AS r ON r.id = f.id JOIN messages AS m ON m.id = r.message
		JOIN conversations AS c ON c.id = m.conversation ORDER BY r.id DESC`, args
}

type found struct {
	id      int64
	message chat.Message
	hit     wire.SearchHit
}

func scanFound(row *sql.Rows) (found, error) {
	var f found
	m, h := &f.message, &f.hit
	var parent wire.CallPlace
	var calls, outside []byte
	var at int64
	err := row.Scan(&f.id, &m.ID, &m.Conversation, &m.Turn, &h.Seq, &h.Branch, &m.Role, &m.Text, &calls, &m.CallID,
		&outside, &m.Status, &at, &h.Title, &parent.Conversation, &parent.Call, &parent.Seq)
	if err != nil {
		return f, err
	}
	m.Time = sqlrows.Time(at)
	h.Message, h.Conversation, h.Turn, h.Role, h.Time = m.ID, m.Conversation, m.Turn, m.Role, m.Time
	if parent.Conversation != "" {
		h.Parent = &parent
	}
	if len(calls) > 0 {
		err = json.Unmarshal(calls, &m.Calls)
	}
	if len(outside) > 0 {
		err = errors.Join(err, json.Unmarshal(outside, &m.Outside))
	}
	return f, err
}

func (r *Reader) isIndexing(ctx context.Context) (indexing bool, err error) {
	err = r.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM search_backlog WHERE upto > 0)`).Scan(&indexing)
	if err != nil {
		return false, fmt.Errorf("reading the state of the index: %w", err)
	}
	return indexing, nil
}
