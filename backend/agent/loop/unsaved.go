package loop

import (
	"context"
	"fmt"

	"sextant/backend/store/diskspace"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// record publishes what the turn did or read, which cannot be had a second time. What the disk has no
// space for is queued; the turn ends then.
func (t *turn) record(events ...event.Event) error {
	if err := t.loop.publishOrQueue(t.ctx, t.ask.Conversation, events...); t.recordErr == nil {
		if diskspace.IsFull(err) {
			t.recordErr = err
		}
		return err
	}
	return t.recordErr
}

// answerUnrecorded answers calls that do not run because of err, and returns err, so that nobody later thinks
// that they may have run.
func (t *turn) answerUnrecorded(calls []chat.ToolCall, err error) error {
	if diskspace.IsFull(err) {
		_ = t.answerAll(calls, "not run: the disk is full") // queued behind what comes before it
	}
	return err
}

// diskFullEnding is the end of a turn that the disk has no space for.
func diskFullEnding() ending {
	return ending{
		status: chat.StatusFailed, message: "Stopped: the disk is full, so nothing more could be saved. " +
			"Everything saved before is safe.",
		suggestion: "Free space on the disk of the data folder, then send \"continue\".",
	}
}

// publishOrQueue records events, or queues and shows them when the disk is full; diskspace.IsFull is then
// true of the error.
func (l *Loop) publishOrQueue(ctx context.Context, conversation string, events ...event.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if err := l.cfg.Pending.Publish(ctx, conversation, false, events...); err != nil {
		return fmt.Errorf("recording the conversation: %w", err)
	}
	return nil
}

// Unsaved returns the events of a conversation that a full disk did not take yet, in order and without
// numbers.
func (l *Loop) Unsaved(conversation string) []event.Event { return l.cfg.Pending.Events(conversation) }

// saveAtClose is the last attempt.
func (l *Loop) saveAtClose() {
	if err := l.cfg.Pending.FlushAll(context.Background()); err != nil {
		l.cfg.Log.Error("what turns did while the disk was full is lost", "err", err)
	}
}

// saveUnsaved records the events of a conversation that a full disk did not take.
func (l *Loop) saveUnsaved(ctx context.Context, conversation string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if err := l.cfg.Pending.Flush(ctx, conversation); err != nil {
		return fmt.Errorf("the end of the previous turn is not recorded yet: %w", err)
	}
	return nil
}
