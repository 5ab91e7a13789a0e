// Package settle waits for the effects of an action, and not for what a page does all the time.
//
// A Tracker follows one tab's requests and loads from the browser's events. A Watch starts with an action; its Wait
// returns when the requests, navigations, changes and finite animations that started since then have ended, or a limit
// is reached. Polling, tickers and endless animations do not count, because the action did not cause them. The result
// names the cause of the wait, and whether a limit ended it.
package settle

import (
	"context"
	"time"
)

// Activity describes what the page's documents have done since the action began.
type Activity struct {
	// Changing is true while changes caused by the action continue.
	Changing bool
	// Mutations is the number of moments at which the documents changed.
	Mutations int
	// Animations is the number of running animations that began since the action and will end.
	Animations int
}

// Limits are the time limits of a wait.
type Limits struct {
	// Action limits the wait for requests and changes, Navigation the wait for a page to load.
	Action, Navigation time.Duration
	// AfterParse limits the wait for the rest of a page (pictures, late scripts) after its document is parsed.
	AfterParse time.Duration
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	return Limits{Action: 3 * time.Second, Navigation: 15 * time.Second, AfterParse: 3 * time.Second}
}

const (
	// quietTime is how long nothing may happen after a request or a load ended.
	quietTime          = 30 * time.Millisecond
	maxAnimationWait   = time.Second
	maxMutationWait    = 1500 * time.Millisecond
	maxNavigationStart = 500 * time.Millisecond
	// longPoll is the duration from which a response counts as delayed by its server (long polling).
	longPoll = time.Second
	// unreadBody is the time without data after which the page is assumed not to read the body of a response.
	unreadBody = 150 * time.Millisecond
	// maxReadOnlyWait bounds the wait of an action that only reads for changes. It is also how long after the
	// beginning of an action a poll can be its effect.
	maxReadOnlyWait = 300 * time.Millisecond
)

// Quiet is Result.WaitedFor when there was nothing to wait for.
const Quiet = "quiet"

// Result says how a wait ended.
type Result struct {
	Took time.Duration
	// WaitedFor is the last cause of the wait: quiet, changes, animation, requests, frame or navigation; "still …"
	// when a limit ended the wait; or "stopped" when the context did.
	WaitedFor string
	// TimedOut is true when the wait ended before the page had settled.
	TimedOut bool
}

// Watch waits for the page to settle after one action. Use it once, then Close it.
type Watch struct {
	t        *Tracker
	since    int
	begun    time.Time
	limits   Limits
	readOnly bool
	closed   bool
}

// Begin starts a Watch. Call it before the action.
func (t *Tracker) Begin(limits Limits) *Watch {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watches++
	return &Watch{t: t, since: t.serial, begun: time.Now(), limits: limits}
}

// Close ends the Watch.
func (w *Watch) Close() {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	if !w.closed {
		w.closed = true
		w.t.watches--
	}
}

// SetReadOnly marks the action as one that changes nothing. Wait then waits for loads and requests, but only briefly
// for changes.
func (w *Watch) SetReadOnly() { w.readOnly = true }

// AwaitNavigation waits until the main frame has committed a document, or changed its address within one, since the
// action began. The error is the end of ctx.
func (w *Watch) AwaitNavigation(ctx context.Context) error {
	return w.until(ctx, func() bool { return w.t.arrived > w.since })
}

// AwaitAnyNavigation is like AwaitNavigation, but for any frame.
func (w *Watch) AwaitAnyNavigation(ctx context.Context) error {
	return w.until(ctx, func() bool { return w.t.moved > w.since })
}

func (w *Watch) until(ctx context.Context, ok func() bool) error {
	for {
		w.t.mu.Lock()
		done, changed := ok(), w.t.changed
		w.t.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ChangeWindow returns the period in which changes count: the time since the action began, and slightly more for an
// action that only reads.
func (w *Watch) ChangeWindow() time.Duration {
	if w.readOnly {
		return quietTime + time.Since(w.begun)
	}
	return time.Since(w.begun)
}

// NavigatedFrames returns the frames that got a new document since the action began.
func (w *Watch) NavigatedFrames() []string {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	var list []string
	for frame, serial := range w.t.commits {
		if serial > w.since {
			list = append(list, frame)
		}
	}
	return list
}

func (w *Watch) busy() (what string, until time.Time, wake <-chan struct{}) {
	t := w.t
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if l := t.loads[t.main]; l != nil {
		until = w.begun.Add(w.limits.Navigation)
		if !l.parsed.IsZero() && l.parsed.Add(w.limits.AfterParse).Before(until) {
			until = l.parsed.Add(w.limits.AfterParse)
		}
		switch {
		case !l.started && now.Sub(l.requested) < maxNavigationStart:
			return "start", l.requested.Add(maxNavigationStart), t.changed
		case l.started && now.Before(until):
			return "navigation", until, t.changed
		}
	}
	until = w.begun.Add(w.limits.Action)
	for frame, l := range t.loads {
		starting := now.Sub(l.requested) < maxNavigationStart
		if frame != t.main && l.serial > w.since && (l.started || starting) && now.Before(until) {
			return "frame", until, t.changed
		}
	}
	var last time.Time
	for _, r := range t.requests {
		if r.serial <= w.since {
			continue
		}
		if end := t.awaits(r, w.begun, until); now.Before(end) {
			r.waited = true
			if end.After(last) {
				last = end
			}
		}
	}
	switch {
	case last.IsZero():
	case last.Before(until):
		return "habit", last, t.changed
	default:
		return "requests", until, t.changed
	}
	return "", until, t.changed
}

func (w *Watch) ended() time.Time {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	return w.t.lastEnd
}

// Wait returns when the page has settled, a limit is reached or ctx ends. It calls rest to ask the page, possibly
// several times; when draw is true, rest must answer only after the page has drawn a frame. An error of rest means
// that the page cannot answer now, as in the middle of a navigation.
func (w *Watch) Wait(ctx context.Context, rest func(ctx context.Context, draw bool) (Activity, error)) Result {
	by, draw := Quiet, !w.readOnly
	for ctx.Err() == nil {
		what, until, wake := w.busy()
		if what != "" {
			woken := w.pause(ctx, wake, until)
			switch what {
			case "start":
				continue
			case "habit":
				by, draw = "requests", true
				continue
			}
			by, draw = what, true
			if !woken && !time.Now().Before(until) {
				return w.result("still "+phrase(what), true)
			}
			continue
		}
		r, err := rest(ctx, draw)
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
		draw = false
		if by == Quiet && r.Mutations > 0 {
			by = "changes"
		}
		wait, cause := w.remainingWait(r, now)
		if wait <= 0 {
			return w.result(by, false)
		}
		if cause != "" {
			by = cause
		}
		if now.Sub(w.begun) > w.limits.Navigation+maxMutationWait {
			return w.result("still "+phrase(by), true)
		}
		w.pause(ctx, wake, now.Add(wait))
	}
	return w.result("stopped", true)
}

func (w *Watch) remainingWait(r Activity, now time.Time) (time.Duration, string) {
	since := now.Sub(w.begun)
	over := since >= w.limits.Action && !w.arrived()
	if w.readOnly {
		if r.Changing && since < maxReadOnlyWait {
			return time.Millisecond, "changes"
		}
		return 0, ""
	}
	if end := w.ended(); end.After(w.begun) {
		since = min(since, now.Sub(end))
		if gap := quietTime - now.Sub(end); gap > 0 && !over {
			return gap, ""
		}
	}
	switch {
	case over:
	case r.Changing && since < maxMutationWait:
		return time.Millisecond, "changes"
	case r.Animations > 0 && since < maxAnimationWait:
		return 2 * quietTime / 3, "animation"
	}
	return 0, ""
}

func (w *Watch) arrived() bool {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	return w.t.arrived > w.since
}

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
	return Result{Took: time.Since(w.begun), WaitedFor: by, TimedOut: capped}
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
