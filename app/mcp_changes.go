package app

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

// changeBeat is how long changes are gathered before MCP clients are told: an answer that streams is
// one notice a beat and not one a token.
const changeBeat = 250 * time.Millisecond

// changeKinds are the events that change what MCP clients are offered.
func changeKinds() []event.Kind {
	return []event.Kind{
		event.CatalogueChanged, event.MCPChanged, event.PanelOpened, event.PanelClosed,
		event.ConversationShared, event.ConversationUpdated, event.ConversationDeleted,
		event.MessageAdded, event.TextDelta, event.TurnEnded, event.BranchStarted, event.BranchChosen,
	}
}

// changes are gathered for one MCP client.
type changes struct {
	// shared are the conversations that are shared now: of others nothing is told.
	shared map[string]bool
	lists  mcpserver.Change
	grown  map[string]bool
}

// changesFor carries what an MCP client is to be told of, until ctx ends.
func (s *System) changesFor(ctx context.Context) <-chan mcpserver.Change {
	sub := s.Events.Subscribe(eventlog.Filter{Kinds: changeKinds()}, eventlog.FromNow)
	c := &changes{shared: map[string]bool{}, grown: map[string]bool{}}
	if list, err := s.Store.SharedConversations(ctx); err == nil {
		for _, talk := range list {
			c.shared[talk.ID] = true
		}
	}
	out := make(chan mcpserver.Change)
	s.background.Go(func() {
		defer sub.Close()
		c.run(ctx, sub.C(), out)
	})
	return out
}

// Run gathers what happens and hands it out a beat later.
func (c *changes) run(ctx context.Context, happen <-chan event.Event, out chan<- mcpserver.Change) {
	var due <-chan time.Time
	var ready chan<- mcpserver.Change
	for {
		next, there := c.next()
		switch {
		case !there:
			ready, due = nil, nil
		case ready == nil && due == nil:
			due = time.After(changeBeat)
		}
		select {
		case <-ctx.Done():
			return
		case e, ok := <-happen:
			if !ok {
				return
			}
			c.note(e)
		case <-due:
			ready, due = out, nil
		case ready <- next:
			c.told(next)
		}
	}
}

// note gathers what e changes.
func (c *changes) note(e event.Event) {
	switch e.Kind {
	case event.CatalogueChanged, event.MCPChanged, event.PanelOpened, event.PanelClosed:
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
		c.lists.Resources, c.grown[s.ID] = true, true
	case event.ConversationDeleted:
		var gone event.Removal
		if json.Unmarshal(e.Data, &gone) == nil && c.shared[gone.ID] {
			delete(c.shared, gone.ID)
			c.lists.Resources, c.grown[gone.ID] = true, true
		}
	default:
		if c.shared[e.Conversation] {
			c.grown[e.Conversation] = true
			// Its title stands in the list.
			c.lists.Resources = c.lists.Resources || e.Kind == event.ConversationUpdated
		}
	}
}

// next is what is told next.
func (c *changes) next() (mcpserver.Change, bool) {
	if c.lists.Tools || c.lists.Resources {
		return c.lists, true
	}
	for _, id := range slices.Sorted(maps.Keys(c.grown)) {
		return mcpserver.Change{URI: mcpserver.ConversationURI(id)}, true
	}
	return mcpserver.Change{}, false
}

// told forgets what was told.
func (c *changes) told(what mcpserver.Change) {
	if what.URI == "" {
		c.lists = mcpserver.Change{}
		return
	}
	maps.DeleteFunc(c.grown, func(id string, _ bool) bool { return mcpserver.ConversationURI(id) == what.URI })
}
