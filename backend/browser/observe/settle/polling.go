package settle

import "time"

// polling is a request that the page makes on its own, again and again.
type polling struct {
	// took is how long the answer was in coming the last time, ended when it had come; begun is
	// when the page asked last.
	took         time.Duration
	begun, ended time.Time
	// every is how long after it last asked the page asked again, pause the same from the end of
	// the answer: a page keeps to the one or to the other.
	every, pause time.Duration
}

// answered reports whether an answer to it ever came.
func (h *polling) answered() bool { return h != nil && !h.ended.IsZero() }

// due reports whether the page's next poll is expected now.
func (h *polling) due(now time.Time) bool {
	return h.answered() && (near(now.Sub(h.begun), h.every) || near(now.Sub(h.ended), h.pause))
}

// near allows a clock what a busy page makes of it.
func near(is, usual time.Duration) bool {
	return usual > 0 && (is-usual).Abs() <= 40*time.Millisecond+usual/20
}

// learnPolling learns from a request that begins how often the page makes it on its own, and sees whether
// this one came just then. Called under the lock.
func (t *Tracker) learnPolling(r *request) {
	h := t.polling[r.key]
	switch {
	case r.key == "" || h == nil && !r.own:
		return
	case h == nil:
		if len(t.polling) >= maxPolling {
			clear(t.polling)
		}
		h = &polling{}
		t.polling[r.key] = h
	default:
		r.due = h.due(r.begun)
	}
	if !r.own && !r.due {
		return
	}
	if !h.begun.IsZero() {
		h.every = r.begun.Sub(h.begun)
	}
	if h.ended.After(h.begun) {
		h.pause = r.begun.Sub(h.ended)
	}
	h.begun = r.begun
}
