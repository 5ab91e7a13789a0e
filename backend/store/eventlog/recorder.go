// Package eventlog is the ordered event log and its broker: an event gets a sequence number, is stored, and then
// reaches the subscribers, unless it is of a live kind or sent by Broadcast.
//
// An event with a sequence number is on disk before a subscriber sees it. Events that are published during a
// transaction share the next transaction, so a stream of text deltas does not cost one disk flush each. A Subscription
// first replays the stored events after a number and then continues live, without gaps or repetitions. Live kinds
// (event.Kind.IsLive) have sequence number 0 and are not stored.
package eventlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"sextant/shared/event"
)

// ErrClosed is returned by Publish after Close.
var ErrClosed = errors.New("the event log is closed")

// Storage stores the events. *sqlite.Store implements it.
type Storage interface {
	AppendEvents(ctx context.Context, events []event.Event) ([]event.Event, error)
	EventsAfter(ctx context.Context, after int64, limit int) ([]event.Event, error)
	EventsOfConversation(ctx context.Context, id string) ([]event.Event, error)
	LastSeq(ctx context.Context) (int64, error)
}

const maxBatch = 1024

// Recorder publishes and stores all events. It is safe for concurrent use.
type Recorder struct {
	store Storage
	log   *slog.Logger
	inbox chan *entry
	quit  chan struct{}
	done  sync.WaitGroup
	mask  func(data []byte) []byte

	mu     sync.Mutex
	last   int64
	subs   map[*Subscription]struct{}
	closed bool
}

// entry is one call of Publish that the writer has to store.
type entry struct {
	events []event.Event
	stored []event.Event
	err    error
	ready  chan struct{}
}

// New starts a Recorder that stores events in store. The caller must call Close to stop it, and keep store open until
// then.
func New(ctx context.Context, store Storage, log *slog.Logger) (*Recorder, error) {
	last, err := store.LastSeq(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting the event log: %w", err)
	}
	r := &Recorder{
		store: store, log: log, last: last,
		inbox: make(chan *entry), quit: make(chan struct{}),
		subs: map[*Subscription]struct{}{},
	}
	r.done.Go(r.write)
	return r, nil
}

// SetMask sets the function that removes secrets from the JSON data of every event. Call it before the first Publish.
func (r *Recorder) SetMask(mask func(data []byte) []byte) { r.mask = mask }

func (r *Recorder) masked(events []event.Event) []event.Event {
	if r.mask == nil {
		return events
	}
	out := slices.Clone(events)
	for i, e := range out {
		out[i].Data = r.mask(e.Data)
	}
	return out
}

// Publish stores events in order, delivers them to the subscribers, and returns them with their sequence numbers. After
// an error none of the events is stored, but live ones were delivered. After the context's error they may be stored.
func (r *Recorder) Publish(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	events = r.masked(events)
	keep, live := splitLive(events)
	if len(live) > 0 {
		r.fanOut(live)
	}
	if len(keep) == 0 {
		return events, nil
	}
	in := &entry{events: keep, ready: make(chan struct{})}
	select {
	case r.inbox <- in:
	case <-r.quit:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("publishing: %w", ctx.Err())
	}
	select {
	case <-in.ready:
	case <-ctx.Done():
		return nil, fmt.Errorf("publishing: %w", ctx.Err())
	}
	if in.err != nil {
		return nil, in.err
	}
	return mergeStored(events, in.stored), nil
}

func splitLive(events []event.Event) (keep, live []event.Event) {
	for _, e := range events {
		if e.Kind.IsLive() {
			e.Seq = 0
			live = append(live, e)
			continue
		}
		keep = append(keep, e)
	}
	return keep, live
}

// mergeStored replaces the events that were stored by their stored copies and keeps the live ones in place.
func mergeStored(events, stored []event.Event) []event.Event {
	out := make([]event.Event, len(events))
	copy(out, events)
	next := 0
	for i := range out {
		if !out[i].Kind.IsLive() {
			out[i] = stored[next]
			next++
		}
	}
	return out
}

// write is the only writer of events.
func (r *Recorder) write() {
	for {
		select {
		case first := <-r.inbox:
			r.commit(r.batch(first))
		case <-r.quit:
			return
		}
	}
}

func (r *Recorder) batch(first *entry) []*entry {
	group, size := []*entry{first}, len(first.events)
	for size < maxBatch {
		select {
		case next := <-r.inbox:
			group = append(group, next)
			size += len(next.events)
		default:
			return group
		}
	}
	return group
}

func (r *Recorder) commit(group []*entry) {
	var all []event.Event
	for _, in := range group {
		all = append(all, in.events...)
	}
	// Do not use a publisher's context: canceling it must not affect the other publishers' events.
	stored, err := r.store.AppendEvents(context.Background(), all)
	if err != nil && len(group) > 1 {
		// One bad event must not fail the others, so each entry is tried separately.
		for _, in := range group {
			r.commit([]*entry{in})
		}
		return
	}
	if err == nil {
		r.fanOut(stored)
	} else {
		r.log.Error("events not stored", "count", len(all), "err", err)
	}
	for _, in := range group {
		if err != nil {
			in.err = fmt.Errorf("publishing: %w", err)
		} else {
			in.stored, stored = stored[:len(in.events):len(in.events)], stored[len(in.events):]
		}
		close(in.ready)
	}
}

func (r *Recorder) fanOut(events []event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		if e.Seq > r.last {
			r.last = e.Seq
		}
		for s := range r.subs {
			s.enqueueOrSkip(e)
		}
	}
}

// Broadcast delivers events to the current subscribers without storing them, for events that a full disk cannot store.
// They have sequence number 0, and are delivered again with their own numbers when they are stored.
func (r *Recorder) Broadcast(events ...event.Event) {
	events = slices.Clone(r.masked(events))
	for i := range events {
		events[i].Seq = 0
	}
	r.fanOut(events)
}

// LastSeq returns the newest stored sequence number.
func (r *Recorder) LastSeq() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// EventsAfter returns at most limit stored events after sequence number n, in order.
func (r *Recorder) EventsAfter(ctx context.Context, n int64, limit int) ([]event.Event, error) {
	return r.store.EventsAfter(ctx, n, limit)
}

// EventsOfConversation returns all stored events of a conversation, in order.
func (r *Recorder) EventsOfConversation(ctx context.Context, id string) ([]event.Event, error) {
	return r.store.EventsOfConversation(ctx, id)
}

// Close waits until the current events are stored and closes every Subscription. It may be called more than once.
func (r *Recorder) Close() {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		r.done.Wait()
		return
	}
	r.closed = true
	subs := make([]*Subscription, 0, len(r.subs))
	for s := range r.subs {
		subs = append(subs, s)
	}
	r.mu.Unlock()
	close(r.quit)
	r.done.Wait()
	for _, s := range subs {
		s.Close()
	}
}
