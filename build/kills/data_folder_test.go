package kills

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"sextant/backend/store/audit"
	"sextant/backend/store/blobs"
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// checkFolder checks a copy of the data folder as the kill left it.
func (w *worker) checkFolder() error {
	ctx := context.Background()
	dir := w.path("copy")
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"sextant.db", "sextant.db-wal"} { // SQLite rebuilds the -shm from these
		b, err := os.ReadFile(w.path("data/" + name))
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			return err
		}
	}
	path := filepath.Join(dir, "sextant.db")
	if err := w.checkDatabase(ctx, path); err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, path, slog.New(slog.DiscardHandler))
	if err != nil {
		w.faults.add("the database does not open: %v", err)
		return nil
	}
	defer func() { _ = s.Close() }()
	if _, err := audit.New(s).Verify(ctx); err != nil {
		w.faults.add("the audit chain: %v", err)
	}
	if err := w.checkMessages(ctx, s); err != nil {
		return err
	}
	return w.checkAccepted(ctx, s)
}

// checkDatabase runs SQLite's own checks and looks for the contents that rows refer to.
func (w *worker) checkDatabase(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for _, check := range []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"} {
		rows, err := firstColumn(ctx, db, check)
		if err != nil {
			return err
		}
		if result := strings.Join(rows, "; "); result != "ok" && result != "" {
			w.faults.add("%s: %s", check, result)
		}
	}
	contents, err := blobs.New(w.path("data/blobs"), 0)
	if err != nil {
		return err
	}
	ids, err := firstColumn(ctx, db, "SELECT before FROM file_changes UNION SELECT after FROM file_changes")
	if err != nil {
		return err
	}
	for _, id := range ids {
		if id == "" || id == wire.UnknownContent || id == wire.FolderContent {
			continue
		}
		f, _, err := contents.Open(id)
		if err != nil {
			w.faults.add("a file change refers to content that is not stored: %v", err)
			continue
		}
		_ = f.Close()
	}
	results, err := firstColumn(ctx, db, "SELECT id FROM results")
	for _, id := range results {
		if _, missing := os.Stat(w.path("data/results/" + id)); missing != nil {
			w.faults.add("a stored result is missing: %v", missing)
		}
	}
	return err
}

// firstColumn returns the first column of a query's rows.
func firstColumn(ctx context.Context, db *sql.DB, query string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var first sql.NullString
		into := []any{&first}
		for range columns[1:] {
			into = append(into, new(any))
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, first.String)
	}
	return all, rows.Err()
}

// checkMessages compares each message with the event log and checks that nothing is marked as running.
func (w *worker) checkMessages(ctx context.Context, s *sqlite.Store) error {
	conversations, err := s.Conversations(ctx)
	if err != nil {
		return err
	}
	for _, c := range conversations {
		if c.Status == chat.StatusRunning {
			w.faults.add("conversation %s is marked as running after the kill", c.ID)
		}
		log, err := s.EventsOfConversation(ctx, c.ID)
		if err != nil {
			return err
		}
		logged := map[string]string{}
		for _, e := range log {
			switch e.Kind {
			case event.TextDelta:
				d := decode[event.Delta](e)
				logged[d.Message] += d.Text
			case event.MessageAdded:
				m := decode[chat.Message](e)
				logged[m.ID] = m.Text
			}
		}
		messages, err := s.Messages(ctx, c.ID)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if m.Text != logged[m.ID] || m.Status == chat.StatusRunning {
				w.faults.add("message %s (%s) is %q, the log says %q", m.ID, m.Status, m.Text, logged[m.ID])
			}
			delete(logged, m.ID)
		}
		if len(logged) > 0 {
			w.faults.add("conversation %s lacks %d messages of the log", c.ID, len(logged))
		}
	}
	return nil
}

// checkAccepted looks for what was accepted over HTTP: every turn must be in the log, and every waiting message must
// still wait or have been taken exactly once.
func (w *worker) checkAccepted(ctx context.Context, s *sqlite.Store) error {
	began, taken := map[string]bool{}, map[string]int{}
	waits := map[string]bool{}
	for after := int64(0); ; {
		page, err := s.EventsAfter(ctx, after, 5000)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			switch e.Kind {
			case event.TurnStarted:
				began[e.Turn] = true
			case event.MessageTaken:
				taken[decode[event.TakenMessage](e).ID]++
			case event.MessageDropped:
				taken[decode[event.Removal](e).ID]++
			}
			after = e.Seq
		}
	}
	conversations, err := s.Conversations(ctx)
	if err != nil {
		return err
	}
	for _, c := range conversations {
		waiting, err := s.WaitingMessages(ctx, c.ID)
		if err != nil {
			return err
		}
		for _, m := range waiting {
			waits[m.ID] = m.When == event.MomentHeld
		}
	}
	w.acks.mu.Lock()
	defer w.acks.mu.Unlock()
	for turn := range w.acks.turns {
		if !began[turn] {
			w.faults.add("turn %s was accepted and is lost", turn)
		}
	}
	for id := range w.acks.waiting {
		isHeld, there := waits[id]
		switch {
		case taken[id] > 1 || taken[id] == 1 && there:
			w.faults.add("message %s waited once and was taken %d times", id, taken[id])
		case taken[id] == 0 && !there:
			w.faults.add("message %s was accepted and is lost", id)
		case there && !isHeld:
			w.faults.add("message %s waits for a turn that is over", id)
		}
	}
	return nil
}

// decode reads an event's data.
func decode[T any](e event.Event) (v T) {
	_ = json.Unmarshal(e.Data, &v)
	return v
}
