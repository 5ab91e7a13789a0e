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

// Shower is a Journal that also shows what cannot be recorded just now; *events.Recorder is one.
type Shower interface {
	Show(events ...event.Event)
}

// record publishes what the turn did or read, which cannot be had a second time. What finds no room
// on the disk is kept in memory until there is some, with everything after it; the turn is over then.
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

// unable answers calls that do not run because err lets nothing be recorded, and returns err: who
// reads the conversation later must not think that they may have run.
func (t *turn) unable(calls []chat.ToolCall, err error) error {
	if space.IsFull(err) {
		_ = t.answerAll(calls, "not run: the disk is full") // owed as what comes before it
	}
	return err
}

// full is the end of a turn that the disk has no room for.
func full() ending {
	return ending{
		status: chat.StatusFailed, message: "Stopped: the disk is full, so nothing more of this could be kept. What was kept is safe.",
		suggestion: "Make room on the disk of the data folder, then send \"continue\".",
	}
}

// owe keeps the end of a turn that the disk did not take, and shows it all the same.
func (l *Loop) owe(conversation string, events []event.Event) {
	l.debts.Add(conversation, events)
	if s, ok := l.cfg.Journal.(Shower); ok {
		s.Show(events...)
	}
}

// Owed are the events of a conversation that happened and are not recorded yet, in order, without
// numbers: none but after a full disk.
func (l *Loop) Owed(conversation string) []event.Event {
	return slices.Clone(l.debts.Of(conversation))
}

// settleLast is the last try.
func (l *Loop) settleLast() {
	if err := l.Settle(context.Background()); err != nil {
		l.cfg.Log.Error("what turns came to while the disk was full is lost", "error", err)
	}
}

// Settle records what turns came to while the disk was full. Call it when there is room again; a
// conversation that is asked something settles its own.
func (l *Loop) Settle(ctx context.Context) error {
	var errs []error
	for _, conversation := range l.debts.Conversations() {
		errs = append(errs, l.settle(ctx, conversation))
	}
	return errors.Join(errs...)
}

// settle records what is owed of one conversation.
func (l *Loop) settle(ctx context.Context, conversation string) error {
	l.debts.Saving.Lock()
	defer l.debts.Saving.Unlock()
	events := l.debts.Of(conversation)
	if len(events) == 0 {
		return nil
	}
	if err := l.publish(ctx, events...); err != nil {
		return fmt.Errorf("the end of the turn before is not kept yet: %w", err)
	}
	l.debts.Remove(conversation, len(events))
	return nil
}
