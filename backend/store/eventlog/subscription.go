package eventlog

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"sextant/shared/event"
)

// Limits of one subscriber. If more than queueLimit events wait, it reads them from the store again, pageSize at a
// time.
const (
	queueLimit  = 2048
	pageSize    = 500
	mergedBytes = 64 << 10
)

// FromNow is the start of a Subscription that skips the replay.
const FromNow int64 = -1

// Filter selects events. An empty field selects all.
type Filter struct {
	Kinds        []event.Kind
	Conversation string
}

func (f Filter) matches(e event.Event) bool {
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind) {
		return false
	}
	return f.Conversation == "" || f.Conversation == e.Conversation
}

// Subscription delivers the events of the log to one subscriber. Only one goroutine may read from C. Close may be
// called by any goroutine and more than once.
type Subscription struct {
	r      *Recorder
	filter Filter
	out    chan event.Event
	ctx    context.Context
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu sync.Mutex
	// behind is true while stored events are read from the store instead of the queue.
	behind bool
	// cursor is the newest sequence number that was delivered or skipped.
	cursor int64
	queue  []event.Event
	live   []event.Event
	wake   chan struct{}
	err    error
}

// Subscribe returns a subscription to the events that match filter: first the stored ones after sequence number after,
// then live ones. FromNow, like any negative number, skips the stored ones. Publishers do not wait for a slow
// subscriber: adjacent pieces of one text are joined for it and live events may be dropped, but no stored event is. If
// the Recorder is closed, the channel is closed at once.
func (r *Recorder) Subscribe(filter Filter, after int64) *Subscription {
	// The subscription ends with Close, not with the request that created it.
	ctx, stop := context.WithCancel(context.Background())
	s := &Subscription{
		r: r, filter: filter, out: make(chan event.Event), ctx: ctx, stop: stop,
		cursor: after, wake: make(chan struct{}, 1),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if after < 0 {
		s.cursor = r.last
	}
	s.behind = s.cursor < r.last
	if r.closed {
		stop()
	} else {
		r.subs[s] = struct{}{}
	}
	s.done.Go(s.pump)
	return s
}

// C returns the channel that delivers the events. It is closed by Close, by the Recorder's Close, or if the store
// cannot be read (see Err).
func (s *Subscription) C() <-chan event.Event { return s.out }

// Err returns why reading the store failed and C was closed, else nil.
func (s *Subscription) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close ends the subscription and returns when its channel is closed.
func (s *Subscription) Close() {
	s.r.mu.Lock()
	delete(s.r.subs, s)
	s.r.mu.Unlock()
	s.stop()
	s.done.Wait()
}

// enqueueOrSkip is called with every event in order, while the Recorder's lock is held.
func (s *Subscription) enqueueOrSkip(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Kind.IsLive():
		if !s.filter.matches(e) {
			return
		}
		s.live = slices.DeleteFunc(s.live, func(old event.Event) bool { return old.Kind == e.Kind })
		s.live = append(s.live, e)
	case e.Seq == 0 && s.behind:
		// Events from the store come first, because they are older than unstored ones.
		if !s.filter.matches(e) || len(s.live) >= queueLimit {
			return // the subscriber does not read, and the event will be stored later
		}
		s.live = append(s.live, e)
	case e.Seq > 0 && e.Seq <= s.cursor:
		// A page that was read meanwhile has already delivered it.
		return
	case s.behind:
		return // it will be read from the store
	case !s.filter.matches(e):
		return
	case len(s.queue) >= queueLimit:
		s.fallBehind(e)
	default:
		s.enqueue(e)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// fallBehind drops the queue because e does not fit. Stored events will be read again; unstored ones wait until then.
func (s *Subscription) fallBehind(e event.Event) {
	for _, e := range append(s.queue, e) {
		if e.Seq == 0 {
			s.live = append(s.live, e)
		}
	}
	s.queue, s.behind = nil, true
}

// enqueue appends e, or joins it with the last event if both are pieces of one text. It does not join across other
// events: the numbers would be out of order, and a subscriber that resumes after one of them would miss events.
func (s *Subscription) enqueue(e event.Event) {
	if n := len(s.queue); n > 0 {
		if joined, ok := joinPieces(s.queue[n-1], e); ok {
			s.queue[n-1] = joined
			return
		}
	}
	s.queue = append(s.queue, e)
}

func joinPieces(a, b event.Event) (event.Event, bool) {
	if a.Kind != b.Kind || a.Call != b.Call || a.Conversation != b.Conversation || (a.Seq == 0) != (b.Seq == 0) ||
		len(a.Data)+len(b.Data) > mergedBytes {
		return b, false
	}
	switch a.Kind {
	case event.TextDelta, event.ReasoningDelta:
		var x, y event.Delta
		if !decodeBoth(a, b, &x, &y) || x.Message != y.Message {
			return b, false
		}
		return withData(b, event.Delta{Message: x.Message, Text: x.Text + y.Text})
	case event.CallOutput:
		var x, y event.CallChunk
		if !decodeBoth(a, b, &x, &y) || x.Stream != y.Stream {
			return b, false
		}
		return withData(b, event.CallChunk{Stream: x.Stream, Text: x.Text + y.Text})
	}
	return b, false
}

func decodeBoth(a, b event.Event, x, y any) bool {
	return json.Unmarshal(a.Data, x) == nil && json.Unmarshal(b.Data, y) == nil
}

func withData(e event.Event, data any) (event.Event, bool) {
	packed, err := json.Marshal(data)
	if err != nil {
		return e, false
	}
	e.Data = packed
	return e, true
}

func (s *Subscription) pump() {
	defer close(s.out)
	for s.ctx.Err() == nil {
		behind, next, live := s.take()
		switch {
		case behind:
			if !s.replay() {
				return
			}
			if !s.send(s.takeLive()) {
				return
			}
		case next != nil || len(live) > 0:
			if next != nil && !s.deliver(*next) {
				return
			}
			if !s.send(live) {
				return
			}
		default:
			select {
			case <-s.wake:
			case <-s.ctx.Done():
			}
		}
	}
}

// take returns what to deliver next. Stored events leave the queue one at a time, so that waiting ones can still be
// joined.
func (s *Subscription) take() (behind bool, next *event.Event, live []event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.behind {
		return true, nil, nil
	}
	if len(s.queue) > 0 {
		first := s.queue[0]
		s.queue = s.queue[1:]
		next = &first
	}
	live, s.live = s.live, nil
	return false, next, live
}

// takeLive returns the live events that may be delivered between two pages of a replay. Unstored events wait, because
// they are newer than all stored ones.
func (s *Subscription) takeLive() (live []event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.behind {
		live, s.live = s.live, nil
		return live
	}
	var shown []event.Event
	for _, e := range s.live {
		if e.Kind.IsLive() {
			live = append(live, e)
		} else {
			shown = append(shown, e)
		}
	}
	s.live = shown
	return live
}

// replay delivers one page from the store. At the end of the log it switches to the queue.
func (s *Subscription) replay() bool {
	// Read the number before the page: all events up to it are in the store, so an empty page means that the remaining
	// numbers belong to deleted events.
	level := s.r.LastSeq()
	page, err := s.r.store.EventsAfter(s.ctx, s.position(), pageSize)
	if err != nil {
		if s.ctx.Err() == nil {
			s.r.log.Error("replay failed", "err", err)
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
			s.r.unsubscribe(s)
		}
		return false
	}
	for _, e := range page {
		if s.filter.matches(e) {
			if !s.deliver(e) {
				return false
			}
			continue
		}
		s.advance(e.Seq)
	}
	if len(page) == 0 {
		s.advance(level)
	}
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behind = s.cursor < s.r.last
	return true
}

func (s *Subscription) position() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor
}

func (s *Subscription) advance(seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursor = max(s.cursor, seq)
}

func (s *Subscription) deliver(e event.Event) bool {
	select {
	case s.out <- e:
		s.advance(e.Seq)
		return true
	case <-s.ctx.Done():
		return false
	}
}

func (s *Subscription) send(events []event.Event) bool {
	for _, e := range events {
		if !s.deliver(e) {
			return false
		}
	}
	return true
}

func (r *Recorder) unsubscribe(s *Subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.subs, s)
}
