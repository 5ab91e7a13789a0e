package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sextant/backend/record/space"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// UnsavedPublisher is an optional interface of a Journal: it shows events that cannot be recorded at the
// moment.
type Shower interface {
	Show(events ...event.Event)
}

// record publishes what the turn did or read and cannot repeat. If the disk is full, the events and all later
// ones stay in memory, and the turn is over.
func (t *turn) record(events ...event.Event) error {
	if len(t.owed) == 0 {
		err := t.loop.publish(t.ctx, events...)
		if !space.IsFull(err) {
			return err
		}
		t.full = err
	}
	t.owed = append(t.owed, events...)
	return t.full
}

// answerUnrecorded answers calls that do not run because of err, and returns err, so that nobody later thinks
// that they may have run.
func (t *turn) unable(calls []chat.ToolCall, err error) error {
	if space.IsFull(err) {
		_ = t.answerAll(calls, "not run: the disk is full") // stays in memory like the events before it
	}
	return err
}

// diskFullEnding is the end of a turn when the disk is full.
func full() ending {
	return ending{
		status: chat.StatusFailed, message: "Stopped: the disk is full, so nothing more could be saved. " +
			"Everything saved before is safe.",
		suggestion: "Free space on the disk of the data folder, then send \"continue\".",
	}
}

// keepUnsaved keeps the events of an ended turn that could not be written, and shows them.
func (l *Loop) owe(conversation string, events []event.Event) {
	l.debts.Add(conversation, events)
	if s, ok := l.cfg.Journal.(Shower); ok {
		s.Show(events...)
	}
}

// Unsaved returns the events of a conversation that happened but are not recorded yet, in order and without
// sequence numbers. There are some only after the disk was full.
func (l *Loop) Owed(conversation string) []event.Event {
	return slices.Clone(l.debts.Of(conversation))
}

// saveAtClose is the last attempt.
func (l *Loop) settleLast() {
	if err := l.Settle(context.Background()); err != nil {
		l.cfg.Log.Error("what turns came to while the disk was full is lost", "error", err)
	}
}

// SaveUnsaved records what turns did while the disk was full. Call it when there is space again. A new ask
// saves the events of its own conversation.
func (l *Loop) Settle(ctx context.Context) error {
	var errs []error
	for _, conversation := range l.debts.Conversations() {
		errs = append(errs, l.settle(ctx, conversation))
	}
	return errors.Join(errs...)
}

// saveUnsaved records the unsaved events of one conversation.
func (l *Loop) settle(ctx context.Context, conversation string) error {
	l.debts.Saving.Lock()
	defer l.debts.Saving.Unlock()
	events := l.debts.Of(conversation)
	if len(events) == 0 {
		return nil
	}
	if err := l.publish(ctx, events...); err != nil {
		return fmt.Errorf("saving the end of the previous turn: %w", err)
	}
	l.debts.Remove(conversation, len(events))
	return nil
}
