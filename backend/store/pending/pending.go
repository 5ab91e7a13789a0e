// Package pending keeps writes that failed on a full disk in memory, until Flush or FlushAll writes them.
//
// Entries are grouped by key: a conversation, or the audit log. The entries of one key are written in order, but not
// those of different keys. An entry that cannot be written delays its own key. The queue is lost if the process is
// killed; calls that were running then are marked as interrupted at the next start.
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

// Journal stores events, or delivers them without storing them. *eventlog.Recorder implements it.
type Journal interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
	Broadcast(events ...event.Event)
}

const maxOptional = 400

type entry struct {
	key   string
	event *event.Event
	write func(ctx context.Context) error
}

// Queue contains the waiting writes. It is safe for concurrent use.
type Queue struct {
	journal Journal

	// flushing is held while entries are written. It must be locked before mu.
	flushing sync.Mutex
	mu       sync.Mutex
	entries  []entry
	// cause is why the last event was not stored. Its initial value is diskspace.ErrFull.
	cause error
}

// New returns an empty Queue that stores its events in journal.
func New(journal Journal) *Queue { return &Queue{journal: journal, cause: diskspace.ErrFull} }

// Publish stores events. If the disk is full, or earlier entries of key are waiting, it queues them, delivers them
// without storing them, and returns an error for which diskspace.IsFull is true. The output of running calls is not
// queued, because the result of the call also contains it. If optional is true, events beyond a fixed number are
// dropped.
func (q *Queue) Publish(ctx context.Context, key string, optional bool, events ...event.Event) error {
	var err error
	// Do not hold the lock: concurrent events share one disk flush.
	if q.Len(key) == 0 {
		if _, err = q.journal.Publish(ctx, events...); !diskspace.IsFull(err) {
			return err
		}
	}
	q.journal.Broadcast(events...)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		err = fmt.Errorf("earlier events wait: %w", q.cause)
	} else {
		q.cause = err
	}
	for i := range events {
		if events[i].Kind != event.CallOutput && (!optional || q.count(key) < maxOptional) {
			q.entries = append(q.entries, entry{key: key, event: &events[i]})
		}
	}
	return err
}

// AddWrite queues write and reports whether it was queued. Only an optional write can be refused.
func (q *Queue) AddWrite(key string, optional bool, write func(ctx context.Context) error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if optional && q.count(key) >= maxOptional {
		return false
	}
	q.entries = append(q.entries, entry{key: key, write: write})
	return true
}

func (q *Queue) count(key string) int {
	n := 0
	for _, e := range q.entries {
		if e.key == key {
			n++
		}
	}
	return n
}

// Len returns the number of waiting entries of key.
func (q *Queue) Len(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count(key)
}

// Events returns the waiting events of key, in order and without sequence numbers.
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

// Flush writes the entries of key, oldest first. It stops at the first failure; the failed entry and those after it
// remain.
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

// next returns the oldest entries of key that are written together: one write, or consecutive events.
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

// FlushAll writes all entries, key by key in the order of their oldest entries. The error joins the errors of all keys.
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

// Drop removes the entries of keys if do succeeds. The queue writes nothing while do runs.
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
