package sharing

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"sextant/backend/api/mcpserver"
	"sextant/backend/store/eventlog"
	"sextant/shared/event"
)

// changeInterval collects changes, so that a streamed answer causes one notification instead of one per token.
const changeInterval = 250 * time.Millisecond

func changeKinds() []event.Kind {
	return []event.Kind{
		event.CatalogChanged, event.MCPChanged, event.PanelOpened, event.PanelClosed,
		event.ConversationShared, event.ConversationUpdated, event.ConversationDeleted,
		event.MessageAdded, event.TextDelta, event.TurnEnded, event.BranchStarted, event.BranchChosen,
	}
}

type pendingChanges struct {
	// shared contains the conversations that are shared now; changes of others are ignored.
	shared        map[string]bool
	lists         mcpserver.Change
	conversations map[string]bool
}

func (p *Provider) changes(ctx context.Context) <-chan mcpserver.Change {
	sub := p.cfg.Events.Subscribe(eventlog.Filter{Kinds: changeKinds()}, eventlog.FromNow)
	c := &pendingChanges{shared: map[string]bool{}, conversations: map[string]bool{}}
	if list, err := p.cfg.Store.SharedConversations(ctx); err == nil {
		for _, conversation := range list {
			c.shared[conversation.ID] = true
		}
	}
	out := make(chan mcpserver.Change)
	p.cfg.Go(func() {
		defer sub.Close()
		c.run(ctx, sub.C(), out)
	})
	return out
}

func (c *pendingChanges) run(ctx context.Context, events <-chan event.Event, out chan<- mcpserver.Change) {
	var due <-chan time.Time
	var ready chan<- mcpserver.Change
	for {
		next, ok := c.next()
		switch {
		case !ok:
			ready, due = nil, nil
		case ready == nil && due == nil:
			due = time.After(changeInterval)
		}
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				return
			}
			c.add(e)
		case <-due:
			ready, due = out, nil
		case ready <- next:
			c.remove(next)
		}
	}
}

func (c *pendingChanges) add(e event.Event) {
	switch e.Kind {
	case event.CatalogChanged, event.MCPChanged, event.PanelOpened, event.PanelClosed:
		c.lists.Tools = true
	case event.ConversationShared:
		var s event.Sharing
		if json.Unmarshal(e.Data, &s) != nil {
			return
		}
		if s.Shared {
			c.shared[s.ID] = true
		} else {
			delete(c.shared, s.ID)
		}
		c.lists.Resources, c.conversations[s.ID] = true, true
	case event.ConversationDeleted:
		var removed event.Removal
		if json.Unmarshal(e.Data, &removed) == nil && c.shared[removed.ID] {
			delete(c.shared, removed.ID)
			c.lists.Resources, c.conversations[removed.ID] = true, true
		}
	default:
		if c.shared[e.Conversation] {
			c.conversations[e.Conversation] = true
			// The list contains the title.
			c.lists.Resources = c.lists.Resources || e.Kind == event.ConversationUpdated
		}
	}
}

func (c *pendingChanges) next() (mcpserver.Change, bool) {
	if c.lists.Tools || c.lists.Resources {
		return c.lists, true
	}
	for _, id := range slices.Sorted(maps.Keys(c.conversations)) {
		return mcpserver.Change{URI: mcpserver.ConversationURI(id)}, true
	}
	return mcpserver.Change{}, false
}

func (c *pendingChanges) remove(sent mcpserver.Change) {
	if sent.URI == "" {
		c.lists = mcpserver.Change{}
		return
	}
	maps.DeleteFunc(c.conversations, func(id string, _ bool) bool { return mcpserver.ConversationURI(id) == sent.URI })
}
