package loop

import (
	"context"
	"slices"

	"sextant/shared/event"
)

// Delete removes a conversation and its unsaved events. below returns the conversations of its subagents,
// which are removed too; it is called once no turn can start. Delete fails with ErrBusy while a turn runs in
// one of them. It waits for an end that is being recorded, so that nothing is written into a deleted
// conversation.
func (l *Loop) Delete(ctx context.Context, conversation string, below func(context.Context) ([]string, error)) error {
	return l.exclusively(ctx, conversation, func() error {
		talks, err := below(ctx)
		if err != nil {
			return err
		}
		return l.deleteAll(ctx, conversation, talks, talks)
	})
}

// deleteAll acquires the conversations in left one after another, then deletes all.
func (l *Loop) deleteAll(ctx context.Context, conversation string, talks, left []string) error {
	if len(left) > 0 {
		return l.exclusively(ctx, left[0], func() error { return l.deleteAll(ctx, conversation, talks, left[1:]) })
	}
	return l.cfg.Pending.Drop(append(slices.Clone(talks), conversation), func() error {
		return l.publish(ctx, event.New(event.ConversationDeleted, event.Removal{ID: conversation}).InTurn(conversation,
			""))
	})
}
