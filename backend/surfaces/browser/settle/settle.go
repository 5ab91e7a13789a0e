// Package settle waits for what an action caused, and for nothing else.
//
// A Tracker follows one tab's requests and loads from the browser's events. A Watch begins
// with an action and is over when what started since then has ended: requests, a
// navigation, changes of the page, animations that end by themselves. There is no fixed
// pause: the only times are caps, and the short quiet that tells "changes are over" from
// "between two changes". Which cause was waited for is told, and a cap that ended the wait
// as well.
package settle

import (
	"context"
	"sync"
	"time"
)

// Rest is how quiet the page's documents are.
type Rest struct {
	// Mutations counts changes; Quiet is the time since the last one.
	Mutations int
	Quiet     time.Duration
	// Animations counts running animations that will end.
	Animations int
}

// Limits bound a wait.
type Limits struct {
	// Action bounds the wait for requests and changes, Navigation that for a page to load.
	Action, Navigation time.Duration
	// Parsed bounds the wait for the rest of a page (pictures, late scripts) whose document
	// is there already.
	Parsed time.Duration
}

// DefaultLimits are what people and models can bear.
func DefaultLimits() Limits {
	return Limits{Action: 3 * time.Second, Navigation: 15 * time.Second, Parsed: 3 * time.Second}
}

const (
	quiet      = 30 * time.Millisecond
	animations = time.Second
	changing   = 1500 * time.Millisecond
	// asked bounds how long a navigation that was asked for may take to start.
	asked = 500 * time.Millisecond
)

// Result says how a wait ended.
type Result struct {
	Took time.Duration
	// By names what was waited for last: quiet, changes, animation, requests, frame,
	// navigation; "still …" when a cap ended the wait.
	By string
	// Capped is true when the page was not at rest yet.
	Capped bool
}

// Tracker follows one tab. Its methods may be called concurrently and never block.
type Tracker struct {
	mu       sync.Mutex
	serial   int
	requests map[string]int
	loads    map[string]*load
	main     string
	// arrived is the serial of the main frame's last commit or change of address.
	arrived int
	lastEnd time.Time
	changed chan struct{}
}

// load is a frame that is on its way to another document, or loads it.
type load struct {
	serial    int
	asked     time.Time
	started   bool
	committed bool
	parsed    time.Time
}

// NewTracker follows a tab whose main frame is main.
func NewTracker(main string) *Tracker {
	return &Tracker{
		requests: map[string]int{}, loads: map[string]*load{}, main: main,
		changed: make(chan struct{}),
	}
}

// change runs f under the lock and wakes who waits.
func (t *Tracker) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serial++
	f()
	close(t.changed)
	t.changed = make(chan struct{})
}

// RequestStarted notes a request that the page may be waiting for.
func (t *Tracker) RequestStarted(id string) {
	t.change(func() {
		if t.requests[id] == 0 {
			t.requests[id] = t.serial
		}
	})
}

// RequestEnded notes the end of a request, however it ended.
func (t *Tracker) RequestEnded(id string) {
	t.change(func() {
		if t.requests[id] != 0 {
			delete(t.requests, id)
			t.lastEnd = time.Now()
		}
	})
}

// Asked notes that a frame wants to go elsewhere.
func (t *Tracker) Asked(frame string) {
	t.change(func() {
		if t.loads[frame] == nil || t.loads[frame].committed {
			t.loads[frame] = &load{serial: t.serial, asked: time.Now()}
		}
	})
}

// Started notes that a frame loads.
func (t *Tracker) Started(frame string) {
	t.change(func() {
		l := t.loads[frame]
		if l == nil {
			l = &load{serial: t.serial, asked: time.Now()}
			t.loads[frame] = l
		}
		l.started = true
	})
}

// Committed notes that a frame holds a new document; requests of the old main document
// do not matter any more.
func (t *Tracker) Committed(frame string) {
	t.change(func() {
		l := t.loads[frame]
		if l == nil {
			l = &load{serial: t.serial, asked: time.Now(), started: true}
			t.loads[frame] = l
		}
		l.committed, l.started, l.parsed = true, true, time.Time{}
		if frame == t.main {
			clear(t.requests)
			t.arrived = t.serial
		}
	})
}

// Moved notes that a frame changed its address within its document.
func (t *Tracker) Moved(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil && !l.started {
			delete(t.loads, frame)
		}
		if frame == t.main {
			t.arrived = t.serial
		}
	})
}

// Parsed notes that a frame's document is there as a whole (DOMContentLoaded).
func (t *Tracker) Parsed(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil {
			l.parsed = time.Now()
		}
	})
}

// Stopped notes that a frame has nothing more to load, or that it stays where it is.
func (t *Tracker) Stopped(frame string) {
	t.change(func() {
		if t.loads[frame] != nil {
			delete(t.loads, frame)
			t.lastEnd = time.Now()
		}
	})
}

// Cancelled notes that a navigation that was only asked for will not happen.
func (t *Tracker) Cancelled(frame string) {
	t.change(func() {
		if l := t.loads[frame]; l != nil && !l.started {
			delete(t.loads, frame)
		}
	})
}

// Loading reports whether the main frame is on its way.
func (t *Tracker) Loading() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loads[t.main] != nil
}

// Main tells that another frame became the main one.
func (t *Tracker) Main(frame string) { t.change(func() { t.main = frame }) }

// Changed is closed when the tracker next hears of anything.
func (t *Tracker) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// Watch is the wait of one action. Use it once.
type Watch struct {
	t      *Tracker
	since  int
	begun  time.Time
	limits Limits
}

// Begin starts watching, before the action acts.
func (t *Tracker) Begin(limits Limits) *Watch {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &Watch{t: t, since: t.serial, begun: time.Now(), limits: limits}
}

// Begun waits until the main frame has committed a document, or changed its address within
// one, since the action began. An error is the end of ctx.
func (w *Watch) Begun(ctx context.Context) error {
	for {
		w.t.mu.Lock()
		arrived, changed := w.t.arrived > w.since, w.t.changed
		w.t.mu.Unlock()
		if arrived {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// busy tells what the page is occupied with since the action, until when that is waited
// for, and what wakes the wait.
func (w *Watch) busy() (what string, until time.Time, wake <-chan struct{}) {
	t := w.t
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if l := t.loads[t.main]; l != nil {
		until = w.begun.Add(w.limits.Navigation)
		if !l.parsed.IsZero() && l.parsed.Add(w.limits.Parsed).Before(until) {
			until = l.parsed.Add(w.limits.Parsed)
		}
		switch {
		case !l.started && now.Sub(l.asked) < asked:
			return "start", l.asked.Add(asked), t.changed
		case l.started && now.Before(until):
			return "navigation", until, t.changed
		}
	}
	until = w.begun.Add(w.limits.Action)
	for frame, l := range t.loads {
		if frame != t.main && l.serial > w.since && (l.started || now.Sub(l.asked) < asked) && now.Before(until) {
			return "frame", until, t.changed
		}
	}
	for _, serial := range t.requests {
		if serial > w.since && now.Before(until) {
			return "requests", until, t.changed
		}
	}
	return "", until, t.changed
}

// ended is when the last request or load ended.
func (w *Watch) ended() time.Time {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	return w.t.lastEnd
}

// Wait returns when the page is at rest, a cap is reached or ctx ends. rest asks the page;
// its error means that the page cannot answer right now, as in the middle of a navigation.
func (w *Watch) Wait(ctx context.Context, rest func(context.Context) (Rest, error)) Result {
	by := "quiet"
	for ctx.Err() == nil {
		what, until, wake := w.busy()
		if what != "" {
			woken := w.pause(ctx, wake, until)
			if what == "start" {
				continue
			}
			by = what
			if !woken && !time.Now().Before(until) {
				return w.result("still "+phrase(what), true)
			}
			continue
		}
		r, err := rest(ctx)
		now := time.Now()
		if again, _, wake := w.busy(); again != "" || err != nil {
			if now.Sub(w.begun) > w.limits.Navigation {
				return w.result("still "+phrase("navigation"), true)
			}
			if again == "" && now.Sub(w.begun) > w.limits.Action {
				return w.result("still busy", true)
			}
			if again == "" {
				w.pause(ctx, wake, now.Add(50*time.Millisecond))
			}
			continue
		}
		wait, cause := w.unrest(r, now)
		if wait <= 0 {
			return w.result(by, false)
		}
		if cause != "" {
			by = cause
		}
		if now.Sub(w.begun) > w.limits.Navigation+changing {
			return w.result("still "+phrase(by), true)
		}
		w.pause(ctx, wake, now.Add(wait))
	}
	return w.result("stopped", true)
}

// unrest is how long to look away before asking again, 0 when the page is at rest.
func (w *Watch) unrest(r Rest, now time.Time) (time.Duration, string) {
	since := now.Sub(w.begun)
	if end := w.ended(); end.After(w.begun) {
		since = min(since, now.Sub(end))
		if gap := quiet - now.Sub(end); gap > 0 {
			return gap, ""
		}
	}
	if r.Mutations > 0 && r.Quiet < quiet && since < changing {
		return quiet - r.Quiet, "changes"
	}
	if r.Animations > 0 && since < animations {
		return 2 * quiet / 3, "animation"
	}
	return 0, ""
}

// pause waits for a change, until the time or the end of ctx; true when woken by a change.
func (w *Watch) pause(ctx context.Context, wake <-chan struct{}, until time.Time) bool {
	timer := time.NewTimer(max(time.Until(until), time.Millisecond))
	defer timer.Stop()
	select {
	case <-wake:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

func (w *Watch) result(by string, capped bool) Result {
	return Result{Took: time.Since(w.begun), By: by, Capped: capped}
}

func phrase(what string) string {
	switch what {
	case "navigation":
		return "loading"
	case "requests":
		return "waiting for requests"
	case "frame":
		return "loading a frame"
	case "animation":
		return "moving"
	default:
		return "changing"
	}
}
