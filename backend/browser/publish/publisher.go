// Package publish passes the browser's state, the numbers of elements and the assistant's pointer to subscribers.
package publish

import (
	"sync"

	"sextant/shared/event"
)

const maxPendingPointers = 64

// Publisher publishes live events from one goroutine, so that a slow subscriber delays neither the goroutine that
// reads from the browser nor an action. It publishes only the newest state and marks.
type Publisher struct {
	publish func(event.Event)
	current func() event.BrowserState

	mu       sync.Mutex
	dirty    bool
	marks    *event.Marks
	pointers []event.Pointer
	wake     chan struct{}
	stop     chan struct{}
	wg       sync.WaitGroup
}

// NewPublisher starts a publisher that passes events to publish; nil drops them. current returns the state to
// publish.
func NewPublisher(publish func(event.Event), current func() event.BrowserState) *Publisher {
	p := &Publisher{publish: publish, current: current, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	if publish != nil {
		p.wg.Go(p.run)
	}
	return p
}

// PublishState requests that the state of the browser is published.
func (p *Publisher) PublishState() { p.add(func() { p.dirty = true }) }

// PublishMarks requests that m is published. It replaces marks that still wait.
func (p *Publisher) PublishMarks(m *event.Marks) { p.add(func() { p.marks = m }) }

// PublishPointer requests that the position of the assistant's pointer is published.
func (p *Publisher) PublishPointer(at event.Pointer) {
	p.add(func() {
		if len(p.pointers) >= maxPendingPointers {
			p.pointers = p.pointers[1:]
		}
		p.pointers = append(p.pointers, at)
	})
}

func (p *Publisher) add(f func()) {
	if p.publish == nil {
		return
	}
	p.mu.Lock()
	f()
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Close drops what still waits and ends the goroutine. Call it once.
func (p *Publisher) Close() {
	close(p.stop)
	p.wg.Wait()
}

func (p *Publisher) run() {
	for {
		select {
		case <-p.stop:
			return
		case <-p.wake:
		}
		p.mu.Lock()
		dirty, mark, pointers := p.dirty, p.marks, p.pointers
		p.dirty, p.marks, p.pointers = false, nil, nil
		p.mu.Unlock()
		for _, at := range pointers {
			p.publish(event.New(event.PointerMoved, at))
		}
		if dirty {
			p.publish(event.New(event.BrowserChanged, p.current()))
		}
		if mark != nil {
			p.publish(event.New(event.MarksChanged, mark))
		}
	}
}
