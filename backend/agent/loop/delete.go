package loop

import (
	"context"
	"slices"

	"sextant/shared/event"
)

// Delete removes a conversation and its unsaved events. subagents returns the conversations of its subagents, which are
// removed too. Delete fails with ErrBusy while a turn runs in one of them. It waits while the end of a turn is being
// recorded, so that nothing is written into a deleted conversation.
func (l *Loop) Delete(
	ctx context.Context,
	conversation string,
	subagents func(context.Context) ([]string, error),
) error {
	return l.exclusively(ctx, conversation, func() error {
		subagents, err := subagents(ctx)
		if err != nil {
			return err
		}
		return l.deleteAll(ctx, conversation, subagents, subagents)
	})
}

func (l *Loop) deleteAll(ctx context.Context, conversation string, subagents, left []string) error {
	if len(left) > 0 {
		return l.exclusively(ctx, left[0], func() error { return l.deleteAll(ctx, conversation, subagents, left[1:]) })
	}
	return l.cfg.Pending.Drop(append(slices.Clone(subagents), conversation), func() error {
		return l.publish(ctx, event.New(event.ConversationDeleted, event.Removal{ID: conversation}).InTurn(conversation,
			""))
	})
}
