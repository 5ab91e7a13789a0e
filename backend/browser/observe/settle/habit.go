package settle

import "time"

// habit is a request that the page makes by itself, again and again.
type habit struct {
	// took is how long the answer was in coming the last time, ended when it had come; begun is
	// when the page asked last.
	took         time.Duration
	begun, ended time.Time
	// every is how long after it last asked the page asked again, pause the same from the end of
	// the answer: a page keeps to the one or to the other.
	every, pause time.Duration
}

// known reports whether an answer to it ever came.
func (h *habit) known() bool { return h != nil && !h.ended.IsZero() }

// due reports whether the page would ask again now by itself.
func (h *habit) due(now time.Time) bool {
	return h.known() && (near(now.Sub(h.begun), h.every) || near(now.Sub(h.ended), h.pause))
}

// near allows a clock what a busy page makes of it.
func near(is, usual time.Duration) bool {
	return usual > 0 && (is-usual).Abs() <= 40*time.Millisecond+usual/20
}

// follow learns from a request that begins how often the page asks it by itself, and sees whether
// this one came just then. Called under mu.
func (t *Tracker) follow(r *request) {
	h := t.habits[r.key]
	switch {
	case r.key == "" || h == nil && !r.own:
		return
	case h == nil:
		if len(t.habits) >= maxHabits {
			clear(t.habits)
		}
		h = &habit{}
		t.habits[r.key] = h
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
