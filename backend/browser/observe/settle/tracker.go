package settle

import (
	"sync"
	"time"
)

// Tracker tracks the requests and loads of one tab. Its methods may be called concurrently and never block.
type Tracker struct {
	mu       sync.Mutex
	serial   int
	requests map[string]*request
	// polling contains the requests that the page may repeat, by key.
	polling map[string]*polling
	loads   map[string]*load
	main    string
	// arrived is the serial of the main frame's last commit or change of address.
	arrived int
	// moved is the serial of the last commit or change of address in any frame.
	moved   int
	commits map[string]int
	lastEnd time.Time
	// lastRequest is the serial of the newest request, lastDeparture that of the newest start of a navigation.
	lastRequest, lastDeparture int
	changed                    chan struct{}
	watches                    int
}

type request struct {
	serial int
	key    string
	begun  time.Time
	// own is true when the page sent the request while no action was watched.
	own bool
	// waited is true once an action has waited for the request.
	waited bool
	// heard is when data of the response last arrived, zero before its start was recorded.
	heard time.Time
	// due is true when the request was sent at the time of the page's next poll.
	due bool
}

type load struct {
	serial    int
	requested time.Time
	started   bool
	committed bool
	parsed    time.Time
}

const (
	maxPolling = 200
	maxCommits = 500
)

// NewTracker returns a Tracker of a tab whose main frame is main.
func NewTracker(main string) *Tracker {
	return &Tracker{
		requests: map[string]*request{}, polling: map[string]*polling{}, loads: map[string]*load{},
		commits: map[string]int{}, main: main, changed: make(chan struct{}),
	}
}

func (t *Tracker) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serial++
	f()
	close(t.changed)
	t.changed = make(chan struct{})
}

// RecordRequestStart records a request that the page may be waiting for; id identifies it for the later events. key
// identifies repetitions of the same request, so that polling can be distinguished from the effects of an action; ""
// means that the request never repeats.
func (t *Tracker) RecordRequestStart(id, key string) {
	t.change(func() {
		if t.requests[id] == nil {
			t.lastRequest = t.serial
			r := &request{serial: t.serial, key: key, begun: time.Now(), own: t.watches == 0}
			t.requests[id] = r
			t.learnPolling(r)
		}
	})
}

// RecordResponse records that data of a response arrived; first marks the start of the response. Once the start is
// recorded, Wait no longer waits when data stops, because some pages never read the body of a response.
func (t *Tracker) RecordResponse(id string, first bool) {
	t.change(func() {
		if r := t.requests[id]; r != nil && (first || !r.heard.IsZero()) {
			r.heard = time.Now()
		}
	})
}

// RecordRequestEnd records the end of a request, whether it succeeded or failed.
func (t *Tracker) RecordRequestEnd(id string) {
	t.change(func() {
		r := t.requests[id]
		if r == nil {
			return
		}
		delete(t.requests, id)
		now := time.Now()
		h := t.polling[r.key]
		if r.waited || !r.own && !h.answered() {
			t.lastEnd = now
		}
		if h.answered() || h != nil && r.own {
			h.took, h.ended = now.Sub(r.begun), now
		}
	})
}

// awaits returns until when to wait for r, at most limit; begun is the beginning of the action. Polling that was due or
// that the server delays is not waited for. Called under the lock.
func (t *Tracker) awaits(r *request, begun, limit time.Time) time.Time {
	if end := r.heard.Add(unreadBody); !r.heard.IsZero() && end.Before(limit) {
		limit = end
	}
	if h := t.polling[r.key]; h.answered() {
		if r.due || h.took >= longPoll || r.begun.Sub(begun) > maxReadOnlyWait {
			return time.Time{}
		}
		if usual := r.begun.Add(2*h.took + quietTime); usual.Before(limit) {
			return usual
		}
		return limit
	}
	for _, other := range t.requests {
		if other.own && other.key == r.key && r.key != "" {
			return time.Time{}
		}
	}
	return limit
}

// RecordNavigationRequest records that a frame requested a navigation.
func (t *Tracker) RecordNavigationRequest(frame string) {
	t.change(func() {
		t.lastDeparture = t.serial
		if t.loads[frame] == nil || t.loads[frame].committed {
			t.loads[frame] = &load{serial: t.serial, requested: time.Now()}
		}
	})
}

// RecordLoadStart records that a frame started to load.
func (t *Tracker) RecordLoadStart(frame string) {
	t.change(func() {
		l := t.loads[frame]
		if l == nil {
			t.lastDeparture = t.serial
			l = &load{serial: t.serial, requested: time.Now()}
			t.loads[frame] = l
		}
		l.started = true
	})
}

// RecordNavigationCommit records that a frame has a new document. When it is the main frame, requests of its old
// document no longer matter.
func (t *Tracker) RecordNavigationCommit(frame string) {
	t.change(func() {
		l := t.loads[frame]
		if l == nil {
			t.lastDeparture = t.serial
			l = &load{serial: t.serial, requested: time.Now(), started: true}
			t.loads[frame] = l
		}
		l.committed, l.started, l.parsed = true, true, time.Time{}
		t.moved = t.serial
		if frame == t.main {
			clear(t.requests)
			clear(t.commits)
			t.arrived = t.serial
		}
		if len(t.commits) < maxCommits {
			t.commits[frame] = t.serial
		}
	})
}

// RecordSameDocumentNavigation records that a frame changed its address within its document.
func (t *Tracker) RecordSameDocumentNavigation(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil && !l.started {
			delete(t.loads, frame)
		}
		t.moved = t.serial
		if frame == t.main {
			t.arrived = t.serial
		}
	})
}

// RecordDOMContentLoaded records that a frame's document is parsed.
func (t *Tracker) RecordDOMContentLoaded(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil {
			l.parsed = time.Now()
		}
	})
}

// RecordLoadStop records that a frame finished loading, or that its navigation was stopped.
func (t *Tracker) RecordLoadStop(frame string) {
	t.change(func() {
		if t.loads[frame] != nil {
			delete(t.loads, frame)
			t.lastEnd = time.Now()
		}
	})
}

// RecordNavigationCancel records that a requested navigation will not happen.
func (t *Tracker) RecordNavigationCancel(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil && !l.started {
			delete(t.loads, frame)
		}
	})
}

// Moment returns the serial number of the latest change, for use with NavigatedSince.
func (t *Tracker) Moment() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.serial
}

// NavigatedSince says what happened after moment, a result of Moment. left is true when a frame started a navigation;
// asked is also true when a request was sent or an address changed.
func (t *Tracker) NavigatedSince(moment int) (left, asked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	left = t.lastDeparture > moment
	return left, left || t.lastRequest > moment || t.moved > moment
}

// IsLoading reports whether the main frame is loading or about to navigate.
func (t *Tracker) IsLoading() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loads[t.main] != nil
}

// SetMainFrame records that another frame became the main frame.
func (t *Tracker) SetMainFrame(frame string) { t.change(func() { t.main = frame }) }

// Changed returns a channel that is closed at the next event of any kind.
func (t *Tracker) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}
