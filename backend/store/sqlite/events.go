package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/event"
)

// MaxEventBytes limits the data of one event. Callers store larger data as a blob.
const MaxEventBytes = 4 << 20

// ErrEventTooLarge is returned for an event with more than MaxEventBytes of data.
var ErrEventTooLarge = errors.New("event is too large")

// AppendEvents stores events in order and updates conversations, messages and turns in the same transaction. It returns
// the events with their sequence numbers. After an error none is stored. events must not contain live kinds.
func (s *Store) AppendEvents(ctx context.Context, events []event.Event) ([]event.Event, error) {
	for _, e := range events {
		if len(e.Data) > MaxEventBytes {
			return nil, fmt.Errorf("storing %s of %d bytes: %w", e.Kind, len(e.Data), ErrEventTooLarge)
		}
	}
	var stored []event.Event
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		stored, err = s.appendEvents(ctx, tx, events)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("storing %d events: %w", len(events), err)
	}
	return stored, nil
}

func (s *Store) appendEvents(ctx context.Context, tx *sql.Tx, events []event.Event) ([]event.Event, error) {
	insert, err := tx.PrepareContext(ctx,
		`INSERT INTO events (kind, time, conversation, turn, call, data) VALUES (?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return nil, err
	}
	defer insert.Close()
	stored := make([]event.Event, len(events))
	for i, e := range events {
		if len(e.Data) == 0 {
			e.Data = []byte("{}")
		}
		done, err := insert.ExecContext(ctx, e.Kind, sqlrows.Nanos(e.Time), e.Conversation, e.Turn, e.Call,
			[]byte(e.Data))
		if err != nil {
			return nil, err
		}
		if e.Seq, err = done.LastInsertId(); err != nil {
			return nil, err
		}
		stored[i] = e
	}
	return stored, s.project(ctx, tx, stored)
}

const eventColumns = `seq, kind, time, conversation, turn, call, data`

// EventsAfter returns at most limit stored events with a sequence number above after, in order.
func (s *Store) EventsAfter(ctx context.Context, after int64, limit int) ([]event.Event, error) {
	return queryEvents(ctx, s.reader,
		`SELECT `+eventColumns+` FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
}

// EventsOfConversation returns all stored events of a conversation, in order.
func (s *Store) EventsOfConversation(ctx context.Context, id string) ([]event.Event, error) {
	return queryEvents(ctx, s.reader,
		`SELECT `+eventColumns+` FROM events WHERE conversation = ? ORDER BY seq`, id)
}

// LastSeq returns the newest sequence number, 0 if nothing was ever stored.
func (s *Store) LastSeq(ctx context.Context) (int64, error) {
	var seq int64
	// sqlite_sequence has the number even if the newest events were deleted.
	err := s.reader.QueryRowContext(ctx,
		`SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("reading the newest event: %w", err)
	}
	return seq, nil
}

func queryEvents(ctx context.Context, q sqlrows.Queryer, query string, args ...any) ([]event.Event, error) {
	return sqlrows.Collect(ctx, q, scanEvent, "reading events", query, args...)
}

func scanEvent(row *sql.Rows) (event.Event, error) {
	var e event.Event
	var at int64
	var data []byte
	err := row.Scan(&e.Seq, &e.Kind, &at, &e.Conversation, &e.Turn, &e.Call, &data)
	e.Time, e.Data = sqlrows.Time(at), data
	return e, err
}
