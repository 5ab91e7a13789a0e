package settle

import (
	"sync"
	"time"
)

// Tracker follows one tab. Its methods may be called concurrently and never block.
type Tracker struct {
	mu       sync.Mutex
	serial   int
	requests map[string]*request
	// polling are the requests that the page is known to repeat by itself.
	polling map[string]*polling
	loads   map[string]*load
	main    string
	// arrived is the serial of the main frame's last commit or change of address.
	arrived int
	// moved is the same of any frame.
	moved int
	// commits is the serial of each frame's last commit.
	commits map[string]int
	lastEnd time.Time
	// lastRequest is the serial of the newest request, lastDeparture that of the newest requested navigation.
	lastRequest, lastDeparture int
	changed                    chan struct{}
	// watches counts the actions that are watched.
	watches int
}

// request is one that has not ended.
type request struct {
	serial int
	key    string
	begun  time.Time
	// own is true when it was sent while no action was watched: the page sends it by itself.
	own bool
	// waited is true once an action waits for it.
	waited bool
	// heard is the time of the last data of its response.
	heard time.Time
	// due is true when it was sent just when the page's polling was due.
	due bool
}

// load is the state of a frame that is navigating or loading.
type load struct {
	serial    int
	requested time.Time
	started   bool
	committed bool
	parsed    time.Time
}

// maxPolling bounds the remembered requests that a page repeats, maxCommits the remembered frames.
const (
	maxPolling = 200
	maxCommits = 500
)

// NewTracker returns a Tracker of a tab with the main frame main.
func NewTracker(main string) *Tracker {
	return &Tracker{
		requests: map[string]*request{}, polling: map[string]*polling{}, loads: map[string]*load{},
		commits: map[string]int{}, main: main, changed: make(chan struct{}),
	}
}

// change runs f under the lock and wakes all waits.
func (t *Tracker) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serial++
	f()
	close(t.changed)
	t.changed = make(chan struct{})
}

// RequestStarted notes a request that the page may be waiting for. key says what is asked
// for, so that what the page polls on its own can be distinguished from what an action
// made it ask; "" for a request that never repeats.
func (t *Tracker) RequestStarted(id, key string) {
	t.change(func() {
		if t.requests[id] == nil {
			t.lastRequest = t.serial
			r := &request{serial: t.serial, key: key, begun: time.Now(), own: t.watches == 0}
			t.requests[id] = r
			t.learnPolling(r)
		}
	})
}

// ResponseReceived notes that data of a response arrived; first marks the start of the response.
// Only a request with a noted start may stay unfinished, as one of a page that does not read the
// body of the response.
func (t *Tracker) ResponseReceived(id string, first bool) {
	t.change(func() {
		if r := t.requests[id]; r != nil && (first || !r.heard.IsZero()) {
			r.heard = time.Now()
		}
	})
}

// RequestEnded notes the end of a request, however it ended.
func (t *Tracker) RequestEnded(id string) {
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

// awaits returns until when to wait for a request that was sent during an action that began at
// begun: as long as data arrives, if the response has started; not at all for polling that was due
// or that the server holds back; and no longer than usual for other polling. Called under the lock.
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

// NavigationRequested notes that a frame requested a navigation.
func (t *Tracker) NavigationRequested(frame string) {
	t.change(func() {
		t.lastDeparture = t.serial
		if t.loads[frame] == nil || t.loads[frame].committed {
			t.loads[frame] = &load{serial: t.serial, requested: time.Now()}
		}
	})
}

// LoadStarted notes that a frame has started to load.
func (t *Tracker) LoadStarted(frame string) {
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

// NavigationCommitted notes that a frame has a new document; requests of the old main document do
// not matter any more.
func (t *Tracker) NavigationCommitted(frame string) {
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

// NavigatedWithinDocument notes that a frame changed its address within its document.
func (t *Tracker) NavigatedWithinDocument(frame string) {
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

// DOMContentLoaded notes that a frame's document is parsed.
func (t *Tracker) DOMContentLoaded(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil {
			l.parsed = time.Now()
		}
	})
}

// LoadStopped notes that a frame has finished loading, or that its navigation was stopped.
func (t *Tracker) LoadStopped(frame string) {
	t.change(func() {
		if t.loads[frame] != nil {
			delete(t.loads, frame)
			t.lastEnd = time.Now()
		}
	})
}

// NavigationCancelled notes that a requested navigation will not happen.
func (t *Tracker) NavigationCancelled(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil && !l.started {
			delete(t.loads, frame)
		}
	})
}

// Now is the current moment, for Since.
func (t *Tracker) Now() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.serial
}

// Since reports whether a frame started a navigation after the moment, and whether any request was
// sent.
func (t *Tracker) Since(moment int) (left, asked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	left = t.lastDeparture > moment
	return left, left || t.lastRequest > moment || t.moved > moment
}

// Loading reports whether the main frame is loading.
func (t *Tracker) Loading() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loads[t.main] != nil
}

// MainFrameChanged notes that another frame became the main one.
func (t *Tracker) MainFrameChanged(frame string) { t.change(func() { t.main = frame }) }

// Changed is closed at the next event of any kind.
func (t *Tracker) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}
