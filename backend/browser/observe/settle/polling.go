package settle

import "time"

type polling struct {
	took         time.Duration
	begun, ended time.Time
	// every is the time between two requests, pause the time from the end of a response to the next request. Pages
	// keep one of the two constant.
	every, pause time.Duration
}

func (p *polling) answered() bool { return p != nil && !p.ended.IsZero() }

func (p *polling) due(now time.Time) bool {
	return p.answered() && (near(now.Sub(p.begun), p.every) || near(now.Sub(p.ended), p.pause))
}

func near(is, usual time.Duration) bool {
	return usual > 0 && (is-usual).Abs() <= 40*time.Millisecond+usual/20
}

// learnPolling is called under the lock.
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
