package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// Recovery lists the ids of everything that Open found running. None of it is continued or repeated.
type Recovery struct {
	// Calls have an intent without a result: it is unknown whether they took effect.
	Calls []string
	// Conversations and Turns were in the middle of an answer.
	Conversations []string
	Turns         []string
	// Questions were waiting for an answer.
	Questions []string
}

const (
	interruptedCall = "Interrupted: Sextant ended while this ran. Whether it took effect is not known."
	interruptedTurn = "Sextant ended in the middle of this answer. What was shown is kept."
	interruptedHint = "Check what it acted on before doing it again."
)

// closeInterrupted marks everything that a dead process left running as interrupted. It does so with events, like all
// changes of a conversation, so that log and tables agree.
func (s *Store) closeInterrupted(ctx context.Context) (Recovery, error) {
	var m Recovery
	err := s.write(ctx, func(tx *sql.Tx) error {
		now := time.Now().UTC()
		var closing []event.Event
		for _, find := range []func(context.Context, *sql.Tx, *Recovery) ([]event.Event, error){
			openQuestions, openCalls, openTurns, openMessages,
		} {
			found, err := find(ctx, tx, &m)
			if err != nil {
				return err
			}
			closing = append(closing, found...)
		}
		if len(closing) > 0 {
			if _, err := s.appendEvents(ctx, tx, closing); err != nil {
				return err
			}
		}
		if err := s.closeIntents(ctx, tx, &m, now); err != nil {
			return err
		}
		return s.closeRunning(ctx, tx, &m)
	})
	return m, err
}

// unanswered selects the events of kind opened that have no matching event of kind closed.
func unanswered(ctx context.Context, tx *sql.Tx, opened, closed event.Kind) ([]event.Event, error) {
	return queryEvents(ctx, tx, `SELECT `+eventColumns+` FROM events AS o WHERE o.kind = ? AND NOT EXISTS
		(SELECT 1 FROM events AS c WHERE c.call = o.call AND c.kind = ? AND c.seq > o.seq) ORDER BY o.seq`,
		opened, closed)
}

func openQuestions(ctx context.Context, tx *sql.Tx, m *Recovery) ([]event.Event, error) {
	asked, err := unanswered(ctx, tx, event.ApprovalAsked, event.ApprovalAnswered)
	if err != nil {
		return nil, err
	}
	var closing []event.Event
	for _, e := range asked {
		var a event.Approval
		if err := json.Unmarshal(e.Data, &a); err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		m.Questions = append(m.Questions, a.ID)
		answer := event.ApprovalAnswer{ID: a.ID, Call: a.Call}
		closing = append(closing,
			event.New(event.ApprovalAnswered, answer).InTurn(e.Conversation, e.Turn).OfCall(e.Call))
	}
	return closing, nil
}

func openCalls(ctx context.Context, tx *sql.Tx, m *Recovery) ([]event.Event, error) {
	started, err := unanswered(ctx, tx, event.CallStarted, event.CallEnded)
	if err != nil {
		return nil, err
	}
	var closing []event.Event
	for _, e := range started {
		var c event.CallStart
		if err := json.Unmarshal(e.Data, &c); err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		m.Calls = append(m.Calls, e.Call)
		end := event.CallEnd{
			Tool: c.Tool, Status: event.CallInterrupted, Sentence: c.Sentence,
			CallOutcome: event.CallOutcome{Error: interruptedCall, Suggestion: interruptedHint},
		}
		closing = append(closing, event.New(event.CallEnded, end).InTurn(e.Conversation, e.Turn).OfCall(e.Call))
	}
	return closing, nil
}

func openTurns(ctx context.Context, tx *sql.Tx, m *Recovery) ([]event.Event, error) {
	type open struct {
		conversation string
		turn         event.Turn
	}
	running, err := sqlrows.Collect(ctx, tx, func(row *sql.Rows) (open, error) {
		var o open
		var data []byte
		if err := row.Scan(&o.conversation, &data); err != nil {
			return o, err
		}
		return o, json.Unmarshal(data, &o.turn)
	}, "reading running turns",
		`SELECT conversation, data FROM turns WHERE status = ? ORDER BY started`, chat.StatusRunning)
	if err != nil {
		return nil, err
	}
	var closing []event.Event
	for _, o := range running {
		o.turn.Status, o.turn.Error = chat.StatusInterrupted, interruptedTurn
		m.Turns = append(m.Turns, o.turn.ID)
		m.Conversations = append(m.Conversations, o.conversation)
		closing = append(closing, event.New(event.TurnEnded, o.turn).InTurn(o.conversation, o.turn.ID))
	}
	return closing, nil
}

// openMessages holds back the messages that waited for the end of an interrupted turn.
func openMessages(ctx context.Context, tx *sql.Tx, _ *Recovery) ([]event.Event, error) {
	return sqlrows.Collect(ctx, tx, func(row *sql.Rows) (event.Event, error) {
		var conversation string
		var data []byte
		if err := row.Scan(&conversation, &data); err != nil {
			return event.Event{}, err
		}
		var w event.WaitingMessage
		err := json.Unmarshal(data, &w)
		w.When = event.MomentHeld
		return event.New(event.MessageWaiting, w).InTurn(conversation, ""), err
	}, "reading messages that wait",
		`SELECT conversation, data FROM waiting WHERE json_extract(CAST(data AS TEXT),
			'$.when') <> ? ORDER BY position`,
		event.MomentHeld)
}

// closeIntents adds the result "interrupted" to every intent without a result.
func (s *Store) closeIntents(ctx context.Context, tx *sql.Tx, m *Recovery, now time.Time) error {
	orphans, err := sqlrows.Collect(ctx, tx, sqlrows.Scan[string], "reading open intents",
		`SELECT call FROM audit AS i WHERE phase = 'intent' AND NOT EXISTS
		(SELECT 1 FROM audit AS r WHERE r.call = i.call AND r.phase = 'result') ORDER BY seq`)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range m.Calls {
		known[id] = true
	}
	var entries []AuditEntry
	body, err := json.Marshal(event.CallResult{
		Status:      event.CallInterrupted,
		CallOutcome: event.CallOutcome{Error: interruptedCall, Suggestion: interruptedHint},
	})
	if err != nil {
		return err
	}
	for _, id := range orphans {
		if !known[id] {
			m.Calls = append(m.Calls, id)
		}
		entries = append(entries, AuditEntry{Call: id, Phase: AuditResult, Time: now, Body: body})
	}
	return s.appendAudit(ctx, tx, entries)
}

// closeRunning ends messages and conversations with the status "running" that belong to no turn.
func (s *Store) closeRunning(ctx context.Context, tx *sql.Tx, m *Recovery) error {
	found, err := sqlrows.Collect(ctx, tx, scanConversation, "reading running conversations",
		`SELECT `+readColumns+` FROM conversations WHERE status = ?`, chat.StatusRunning)
	if err != nil {
		return err
	}
	var closing []event.Event
	for _, c := range found {
		c.Status = chat.StatusInterrupted
		m.Conversations = append(m.Conversations, c.ID)
		closing = append(closing, event.New(event.ConversationUpdated, c).InTurn(c.ID, ""))
	}
	if _, err := s.appendEvents(ctx, tx, closing); err != nil {
		return err
	}
	return indexEnded(ctx, tx, chat.StatusInterrupted, `status = ?2`, chat.StatusRunning)
}
