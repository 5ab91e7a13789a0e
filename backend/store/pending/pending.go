// Package pending keeps in memory what a full disk did not take, and writes it in order once there is
// space again.
//
// One Queue serves all writers, so that what happened first is also written first. Entries are
// grouped by key (a conversation, or the audit log): the entries of one key are written in order, and
// an entry that cannot be written holds back its own key only. Nothing survives a kill; what was
// running then is marked as interrupted when Sextant starts the next time.
package pending

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"sextant/backend/store/diskspace"
	"sextant/shared/event"
)

// Journal stores events, or shows them without storing them; *eventlog.Recorder is one.
type Journal interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
	Broadcast(events ...event.Event)
}

// maxOptional bounds the optional entries of one key.
const maxOptional = 400

// errBehind is why events are queued without a try.
var errBehind = fmt.Errorf("earlier events wait: %w", diskspace.ErrFull)

// entry is one write that waits: either an event, or whatever write does.
type entry struct {
	key   string
	event *event.Event
	write func(ctx context.Context) error
}

// Queue contains the writes that wait. Its methods may be called concurrently.
type Queue struct {
	journal Journal

	// flushing is held while entries are written. It is taken before mu.
	flushing sync.Mutex
	mu       sync.Mutex
	entries  []entry
}

// New returns an empty Queue whose events are stored in journal.
func New(journal Journal) *Queue { return &Queue{journal: journal} }

// Publish stores events. When the disk is full, or earlier entries of key wait, it queues and shows
// them instead; diskspace.IsFull is then true of the error. Output of running calls is not queued, because
// the end of the call contains it too. With optional set, events beyond a fixed number are dropped.
func (q *Queue) Publish(ctx context.Context, key string, optional bool, events ...event.Event) error {
	err := errBehind
	// Not under the lock: events that come together share one flush of the disk.
	if q.Len(key) == 0 {
		if _, err = q.journal.Publish(ctx, events...); !diskspace.IsFull(err) {
			return err
		}
	}
	q.journal.Broadcast(events...)
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range events {
		if events[i].Kind != event.CallOutput && (!optional || q.count(key) < maxOptional) {
			q.entries = append(q.entries, entry{key: key, event: &events[i]})
		}
	}
	return err
}

// AddWrite queues write and reports whether it was taken; only an optional one can be refused.
func (q *Queue) AddWrite(key string, optional bool, write func(ctx context.Context) error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if optional && q.count(key) >= maxOptional {
		return false
	}
	q.entries = append(q.entries, entry{key: key, write: write})
	return true
}

// count is how many entries of key wait. The caller holds mu.
func (q *Queue) count(key string) int {
	n := 0
	for _, e := range q.entries {
		if e.key == key {
			n++
		}
	}
	return n
}

// Len returns how many entries of key wait.
func (q *Queue) Len(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count(key)
}

// Events returns the events of key that wait, in order and without sequence numbers.
func (q *Queue) Events(key string) []event.Event {
	q.mu.Lock()
	defer q.mu.Unlock()
	var events []event.Event
	for _, e := range q.entries {
		if e.key == key && e.event != nil {
			events = append(events, *e.event)
		}
	}
	return events
}

// Flush writes the entries of key, the oldest first. It stops at the first that fails; that one and
// those after it stay.
func (q *Queue) Flush(ctx context.Context, key string) error {
	if q.Len(key) == 0 {
		return nil
	}
	q.flushing.Lock()
	defer q.flushing.Unlock()
	for {
		batch := q.next(key)
		if len(batch) == 0 {
			return nil
		}
		if err := q.write(ctx, batch); err != nil {
			return err
		}
		q.mu.Lock()
		left := len(batch)
		q.entries = slices.DeleteFunc(q.entries, func(e entry) bool {
			if e.key != key || left == 0 {
				return false
			}
			left--
			return true
		})
		q.mu.Unlock()
	}
}

// next returns the oldest entries of key that are written together: one write, or a run of events.
func (q *Queue) next(key string) (batch []entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.entries {
		if e.key != key {
			continue
		}
		if e.write != nil && len(batch) > 0 {
			break
		}
		batch = append(batch, e)
		if e.write != nil {
			break
		}
	}
	return batch
}

func (q *Queue) write(ctx context.Context, batch []entry) error {
	if batch[0].write != nil {
		return batch[0].write(ctx)
	}
	events := make([]event.Event, len(batch))
	for i, e := range batch {
		events[i] = *e.event
	}
	_, err := q.journal.Publish(ctx, events...)
	return err
}

// FlushAll writes everything that waits, key by key in the order in which their oldest entries came.
// The error joins those of the keys that failed.
func (q *Queue) FlushAll(ctx context.Context) error {
	q.mu.Lock()
	var keys []string
	for _, e := range q.entries {
		if !slices.Contains(keys, e.key) {
			keys = append(keys, e.key)
		}
	}
	q.mu.Unlock()
	var errs []error
	for _, key := range keys {
		errs = append(errs, q.Flush(ctx, key))
	}
	return errors.Join(errs...)
}

// Drop forgets the entries of keys if do succeeds. Nothing is written while do runs.
func (q *Queue) Drop(keys []string, do func() error) error {
	q.flushing.Lock()
	defer q.flushing.Unlock()
	if err := do(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entries = slices.DeleteFunc(q.entries, func(e entry) bool { return slices.Contains(keys, e.key) })
	return nil
}
