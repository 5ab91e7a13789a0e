package unsaved

import (
	"maps"
	"slices"
	"sync"

	"sextant/shared/event"
)

// debts are what the disk did not take, by conversation, in order.
type Events struct {
	// settling is held while they are recorded. It is taken before mu.
	Saving sync.Mutex
	mu     sync.Mutex
	events map[string][]event.Event
}

func (d *Events) Add(conversation string, events []event.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.events == nil {
		d.events = map[string][]event.Event{}
	}
	d.events[conversation] = append(d.events[conversation], events...)
}

// of are those of a conversation.
func (d *Events) Of(conversation string) []event.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.events[conversation]
}

// all are the conversations that have some.
func (d *Events) Conversations() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.events))
}

// paid forgets the oldest n of a conversation.
func (d *Events) Remove(conversation string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n == 0 {
		return
	}
	if d.events[conversation] = d.events[conversation][n:]; len(d.events[conversation]) == 0 {
		delete(d.events, conversation)
	}
}
