package ws

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"sextant/shared/wire"
)

// inputQueue holds the person's input until the page has taken what came before, so that a busy page holds up neither
// the acknowledgements of pictures nor other messages. Its methods may be called concurrently.
type inputQueue struct {
	mu      sync.Mutex
	waiting []wire.ClientMessage
	// passing is true while a message that next returned is passed on.
	passing bool
	// wake is signaled after add.
	wake chan struct{}
}

// add appends an input message. It is merged with the last one that waits if both turn the wheel, or both move the
// mouse with the same button held.
func (q *inputQueue) add(m wire.ClientMessage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.waiting); n > 0 && mergeable(q.waiting[n-1], m) {
		merged := *m.Input
		merged.DX += q.waiting[n-1].Input.DX
		merged.DY += q.waiting[n-1].Input.DY
		m.Input = &merged
		q.waiting[n-1] = m
	} else {
		q.waiting = append(q.waiting, m)
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func mergeable(a, b wire.ClientMessage) bool {
	return a.Tab == b.Tab && a.Session == b.Session &&
		a.Input.Type == b.Input.Type && a.Input.Button == b.Input.Button &&
		a.Input.Modifiers == b.Input.Modifiers && (b.Input.Type == "wheel" || b.Input.Type == "move")
}

// next removes and returns the first message; false if there is none.
func (q *inputQueue) next() (wire.ClientMessage, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.passing = len(q.waiting) > 0
	if !q.passing {
		return wire.ClientMessage{}, false
	}
	first := q.waiting[0]
	q.waiting = q.waiting[1:]
	return first, true
}

// isEmpty reports whether the page has taken all messages.
func (q *inputQueue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) == 0 && !q.passing
}

// AwaitInput waits until the page has taken the input that the windows have sent, so that what follows it by another
// way does not overtake it. It waits at most until ctx ends.
func (h *Hub) AwaitInput(ctx context.Context) {
	h.mu.Lock()
	conns := slices.Collect(maps.Keys(h.conns))
	h.mu.Unlock()
	for _, c := range conns {
		for !c.inputs.isEmpty() && ctx.Err() == nil && c.ctx.Err() == nil {
			time.Sleep(inputPause)
		}
	}
}

// inputPause is the time between two looks at a queue of input.
const inputPause = 2 * time.Millisecond

// drop removes all messages.
func (q *inputQueue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = nil
}

// passInput passes the queued input on to the page, until the connection ends. Input for a tab or session that is no
// longer shown is dropped, and so is all that waits when the page does not take one.
func (c *conn) passInput() {
	for {
		m, ok := c.inputs.next()
		if !ok {
			select {
			case <-c.ctx.Done():
				return
			case <-c.inputs.wake:
			}
			continue
		}
		b := c.browserOf(m.Session)
		if b == nil || m.Session != c.shown() || m.Tab != 0 && m.Tab != b.State().Active {
			continue
		}
		if err := b.DispatchInput(c.ctx, m.Session, *m.Input); err != nil {
			c.inputs.drop()
			c.report(err)
		}
	}
}
