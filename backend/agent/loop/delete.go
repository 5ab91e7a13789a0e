package loop

import (
	"context"
	"slices"

	"sextant/shared/event"
)

// Delete removes a conversation and what is still owed of it. below names the talks of subagents
// that worked for it, which go with it; it is asked once no turn can begin in the conversation. It
// fails with ErrBusy while a turn runs in one of them; an end that is still being recorded is waited
// for, so that nothing is written into a conversation that is gone.
func (l *Loop) Delete(ctx context.Context, conversation string, below func(context.Context) ([]string, error)) error {
	return l.alone(ctx, conversation, func() error {
		talks, err := below(ctx)
		if err != nil {
			return err
		}
		return l.deleteAll(ctx, conversation, talks, talks)
	})
}

// deleteAll makes the talks in left ours, one in the other, and then deletes all.
func (l *Loop) deleteAll(ctx context.Context, conversation string, talks, left []string) error {
	if len(left) > 0 {
		return l.alone(ctx, left[0], func() error { return l.deleteAll(ctx, conversation, talks, left[1:]) })
	}
	// Who settles reads what is owed before and records it after.
	l.debts.Saving.Lock()
	defer l.debts.Saving.Unlock()
	if err := l.publish(ctx, event.New(event.ConversationDeleted, event.Removed{ID: conversation}).In(conversation, "")); err != nil {
		return err
	}
	for _, id := range append(slices.Clone(talks), conversation) {
		l.debts.Remove(id, len(l.debts.Of(id)))
	}
	return nil
}
