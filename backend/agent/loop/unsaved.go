package loop

import (
	"context"
	"fmt"

	"sextant/backend/store/diskspace"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// record publishes what the turn did or read, which cannot be repeated. If the disk is full, it queues the events and
// returns an error, then and for all later events, which ends the turn.
func (t *turn) record(events ...event.Event) error {
	if err := t.loop.publishOrQueue(t.ctx, t.request.Conversation, events...); t.recordErr == nil {
		if diskspace.IsFull(err) {
			t.recordErr = err
		}
		return err
	}
	return t.recordErr
}

// answerUnrecorded returns err. If the disk is full, it also answers the calls that do not run because of err, so
// that nobody later assumes that they may have run.
func (t *turn) answerUnrecorded(calls []chat.ToolCall, err error) error {
	if diskspace.IsFull(err) {
		reason, _ := diskspace.Explain(err)
		_ = t.answerAll(calls, "not run: nothing can be saved. "+reason) // queued after the earlier events
	}
	return err
}

func unsavedEnding(err error) ending {
	reason, advice := diskspace.Explain(err)
	return ending{
		status:     chat.StatusFailed,
		message:    "Stopped, because nothing more could be saved. " + reason,
		suggestion: advice + " Then send \"continue\".",
	}
}

// publishOrQueue records events. If the disk is full or earlier events are still queued, it queues and shows them and
// returns an error for which diskspace.IsFull is true.
func (l *Loop) publishOrQueue(ctx context.Context, conversation string, events ...event.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if err := l.cfg.Pending.Publish(ctx, conversation, false, events...); err != nil {
		return fmt.Errorf("recording the conversation: %w", err)
	}
	return nil
}

// UnsavedEvents returns the events of a conversation that are queued because the disk is full, in order and without
// sequence numbers.
func (l *Loop) UnsavedEvents(conversation string) []event.Event {
	return l.cfg.Pending.Events(conversation)
}

func (l *Loop) saveAtClose() {
	if err := l.cfg.Pending.FlushAll(context.Background()); err != nil {
		l.cfg.Log.Error("what turns did while the disk was full is lost", "err", err)
	}
}

func (l *Loop) saveUnsaved(ctx context.Context, conversation string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if err := l.cfg.Pending.Flush(ctx, conversation); err != nil {
		return fmt.Errorf("the end of the previous turn is not recorded yet: %w", err)
	}
	return nil
}
