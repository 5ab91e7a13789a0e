// Package unsaved holds events in memory that the disk had no room for, until they can be recorded.
package unsaved

import (
	"maps"
	"slices"
	"sync"

	"sextant/shared/event"
)

// Events are the events that could not be written, by conversation, in order.
type Events struct {
	// Saving is held while they are being recorded. Lock it before mu.
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

// Of returns those of a conversation.
func (d *Events) Of(conversation string) []event.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.events[conversation]
}

// Conversations are the conversations that have some.
func (d *Events) Conversations() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.events))
}

// Remove forgets the oldest n of a conversation.
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
