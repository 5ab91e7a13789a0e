package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"sextant/shared/chat"
	"sextant/shared/event"
)

// project updates the tables with the changes in events. Consecutive deltas of one message are one update, so that a
// long text is not copied for every token.
func (s *Store) project(ctx context.Context, tx *sql.Tx, events []event.Event) error {
	for i := 0; i < len(events); {
		if events[i].Kind != event.TextDelta {
			if err := s.projectOne(ctx, tx, events[i]); err != nil {
				return fmt.Errorf("applying %s: %w", events[i].Kind, err)
			}
			i++
			continue
		}
		n, err := projectDeltas(ctx, tx, events[i:])
		if err != nil {
			return fmt.Errorf("applying %s: %w", event.TextDelta, err)
		}
		i += n
	}
	return nil
}

func (s *Store) projectOne(ctx context.Context, tx *sql.Tx, e event.Event) error {
	switch e.Kind {
	case event.ConversationCreated, event.ConversationUpdated:
		var c chat.Conversation
		if err := json.Unmarshal(e.Data, &c); err != nil {
			return err
		}
		return saveConversation(ctx, tx, c)
	case event.ConversationDeleted:
		var removal event.Removal
		if err := json.Unmarshal(e.Data, &removal); err != nil {
			return err
		}
		return deleteConversation(ctx, tx, removal.ID, e.Seq)
	case event.ConversationShared:
		return projectShared(ctx, tx, e)
	case event.MessageAdded:
		var m chat.Message
		if err := json.Unmarshal(e.Data, &m); err != nil {
			return err
		}
		return saveMessage(ctx, tx, withOrigin(m, e), e)
	case event.MessageWaiting, event.MessageTaken, event.MessageDropped:
		return projectWaiting(ctx, tx, e)
	case event.BranchStarted, event.BranchChosen:
		return projectBranch(ctx, tx, e)
	case event.TurnStarted, event.TurnEnded:
		var t event.Turn
		if err := json.Unmarshal(e.Data, &t); err != nil {
			return err
		}
		if err := saveTurn(ctx, tx, t, e); err != nil {
			return err
		}
		if t.ID == "" {
			t.ID = e.Turn
		}
		counted := event.Turn{ID: t.ID, Model: t.Model, Status: t.Status, Rounds: t.Rounds}
		return s.recorder.RecordTurn(ctx, tx, counted, e.Time)
	case event.RoundEnded:
		return s.recorder.RecordRound(ctx, tx, e)
	case event.BudgetRaised:
		if err := ensureConversation(ctx, tx, e.Conversation, e.Time); err != nil {
			return err
		}
		return s.recorder.RecordBudgetRaise(ctx, tx, e)
	}
	return nil
}

// withOrigin sets the conversation, turn and time of a message from its event, where they are missing.
func withOrigin(m chat.Message, e event.Event) chat.Message {
	if m.Conversation == "" {
		m.Conversation = e.Conversation
	}
	if m.Turn == "" {
		m.Turn = e.Turn
	}
	if m.Time.IsZero() {
		m.Time = e.Time
	}
	return m
}

// projectDeltas appends the first deltas in events that belong to one message, and returns how many there are.
func projectDeltas(ctx context.Context, tx *sql.Tx, events []event.Event) (int, error) {
	first := events[0]
	var message string
	var text strings.Builder
	n := 0
	for _, e := range events {
		if e.Kind != event.TextDelta {
			break
		}
		var d event.Delta
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return 0, err
		}
		if n > 0 && d.Message != message {
			break
		}
		message = d.Message
		text.WriteString(d.Text)
		n++
	}
	return n, appendText(ctx, tx, message, text.String(), first)
}
