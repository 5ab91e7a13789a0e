package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// Page selects a part of a conversation. The zero value selects the newest messages.
type Page struct {
	// Before and After select the messages before or after an event. Around selects those on both sides of one. At most
	// one of them may be set.
	Before, After, Around int64
	// Limit is about how many messages the page contains; a page always contains whole turns. Around has as many on
	// each side.
	Limit int
}

// Transcript is a part of a conversation: its events from From to Until, in order.
type Transcript struct {
	Events []event.Event
	// From and Until are sequence numbers of events. From is 0 if nothing is before the part, and Until 0 if nothing is
	// after it.
	From, Until int64
	// Branch is the branch that was active before the first event.
	Branch string
}

// Transcript returns a part of a conversation.
func (s *Store) Transcript(ctx context.Context, conversation string, p Page) (t Transcript, err error) {
	p.Limit = max(1, p.Limit)
	switch {
	case p.After > 0:
		t.From = p.After + 1
		t.Until, err = s.endAfter(ctx, conversation, p.After, p.Limit)
	case p.Around > 0:
		if t.Until, err = s.endAfter(ctx, conversation, p.Around-1, p.Limit); err == nil {
			t.From, err = s.startBefore(ctx, conversation, p.Around+1, p.Limit)
		}
	default:
		if p.Before > 0 {
			t.Until = p.Before - 1
		}
		t.From, err = s.startBefore(ctx, conversation, p.Before, p.Limit)
	}
	if err != nil {
		return t, fmt.Errorf("reading a part of a conversation: %w", err)
	}
	if t.Events, err = queryEvents(ctx, s.reader, `SELECT `+eventColumns+` FROM events
		WHERE conversation = ?1 AND seq >= ?2 AND (?3 = 0 OR seq <= ?3) ORDER BY seq`,
		conversation, t.From, t.Until); err != nil {
		return t, err
	}
	t.Branch, err = s.branchAt(ctx, conversation, t.From)
	return t, err
}

// The plus signs below choose the index: turns end often within a conversation, and events about branches are few.

// startBefore returns the first event of the turn with the limit-th last message before the event `before`, 0 if no
// turn precedes it.
func (s *Store) startBefore(ctx context.Context, conversation string, before int64, limit int) (int64, error) {
	return s.optional(ctx, `SELECT seq + 1 FROM events WHERE conversation = ?1 AND +kind = 'turn.ended' AND seq <
		(SELECT position FROM messages WHERE conversation = ?1 AND (?2 = 0 OR position < ?2)
		ORDER BY position DESC LIMIT 1 OFFSET ?3) ORDER BY seq DESC LIMIT 1`, conversation, before, limit-1)
}

// endAfter returns the last event of the turn with the limit-th message after the event `after`, 0 if it is the last
// turn.
func (s *Store) endAfter(ctx context.Context, conversation string, after int64, limit int) (int64, error) {
	end, err := s.optional(ctx, `SELECT seq FROM events WHERE conversation = ?1 AND +kind = 'turn.ended' AND seq >
		(SELECT position FROM messages WHERE conversation = ?1 AND position > ?2
		ORDER BY position LIMIT 1 OFFSET ?3) ORDER BY seq LIMIT 1`, conversation, after, limit-1)
	if err != nil || end == 0 {
		return 0, err
	}
	more, err := s.optional(ctx, `SELECT position FROM messages WHERE conversation = ?1 AND position > ?2
		ORDER BY position LIMIT 1`, conversation, end)
	if more == 0 {
		end = 0
	}
	return end, err
}

// optional returns the number that a query selects, 0 if it selects no row.
func (s *Store) optional(ctx context.Context, query string, args ...any) (n int64, err error) {
	if err = s.reader.QueryRowContext(ctx, query, args...).Scan(&n); errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

const branchEvents = ` FROM events WHERE kind IN ('branch.started', 'branch.chosen') AND +conversation = ?`

func (s *Store) branchAt(ctx context.Context, conversation string, seq int64) (string, error) {
	var data []byte
	err := s.reader.QueryRowContext(ctx, `SELECT data`+branchEvents+` AND seq < ? ORDER BY seq DESC LIMIT 1`,
		conversation, seq).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	var b event.BranchRef
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		return "", fmt.Errorf("reading the active branch: %w", err)
	}
	return b.ID, nil
}

// BranchTree returns the branches of a conversation in order of creation. The first has the id "".
func (s *Store) BranchTree(ctx context.Context, conversation string) ([]wire.BranchNode, error) {
	lastUse, err := s.lastUses(ctx, conversation)
	if err != nil {
		return nil, err
	}
	// The first message that the window shows in a branch decides whether a fork is at its start.
	nodes, err := sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (n branchRow, err error) {
		return n, row.Scan(&n.ID, &n.Parent, &n.Cut, &n.first)
	}, "reading branches", `SELECT b.id, COALESCE(m.branch, ''),
		CASE WHEN b.instead <> '' THEN COALESCE(m.position, 0) ELSE COALESCE(m.position + 1, 0) END,
		COALESCE((SELECT MIN(position) FROM messages AS f WHERE f.conversation = ?1 AND f.branch = b.id AND
			(f.role IN ('user', 'assistant') OR f.role = 'note' AND f.outside IS NOT NULL)), 0)
		FROM branches AS b LEFT JOIN messages AS m
			ON m.id = CASE WHEN b.instead <> '' THEN b.instead ELSE b.after_message END
		WHERE b.conversation = ?1 ORDER BY b.position`, conversation)
	if err != nil {
		return nil, err
	}
	known := map[string]branchRow{}
	tree := []wire.BranchNode{{Used: lastUse[""]}}
	for _, n := range nodes {
		// A branch that replaces the first message of its parent is the parent's sibling.
		for p, ok := known[n.Parent]; ok && n.Cut <= p.first; p, ok = known[n.Parent] {
			n.Parent, n.Cut = p.Parent, p.Cut
		}
		n.Used = lastUse[n.ID]
		known[n.ID] = n
		tree = append(tree, n.BranchNode)
	}
	return tree, nil
}

type branchRow struct {
	wire.BranchNode
	first int64
}

// lastUses returns the sequence number of the event that last activated each branch, by its id.
func (s *Store) lastUses(ctx context.Context, conversation string) (map[string]int64, error) {
	used := map[string]int64{}
	_, err := sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (struct{}, error) {
		var id string
		var seq int64
		err := row.Scan(&id, &seq)
		used[id] = seq
		return struct{}{}, err
	}, "reading the use of branches", `SELECT json_extract(CAST(data AS TEXT), '$.id'), MAX(seq)`+branchEvents+
		` GROUP BY 1`, conversation)
	return used, err
}

// EarlierSources returns the sources of outside text in the active branch of a conversation before an event.
func (s *Store) EarlierSources(ctx context.Context, conversation string, before int64) ([]string, error) {
	lists, err := sqlrows.Collect(ctx, s.reader, sqlrows.ScanJSON[[]string], "reading sources", branchPath+
		`SELECT DISTINCT m.outside FROM messages AS m JOIN path ON m.branch = path.in_branch AND m.position <= path.upto
		WHERE m.conversation = ?1 AND m.position < ?2 AND m.outside IS NOT NULL`, conversation, before)
	sources, seen := []string{}, map[string]bool{}
	for _, list := range lists {
		for _, source := range list {
			if !seen[source] {
				seen[source] = true
				sources = append(sources, source)
			}
		}
	}
	return sources, err
}
