// Package publish passes the browser's state, the numbers of elements and other live events to subscribers.
package publish

import (
	"sync"

	"sextant/shared/event"
)

const maxPendingEvents = 64

// Publisher publishes live events from one goroutine, so that a slow subscriber delays neither the goroutine that
// reads from the browser nor an action. It publishes only the newest state and marks.
type Publisher struct {
	publish func(event.Event)
	current func() event.BrowserState

	mu     sync.Mutex
	dirty  bool
	marks  *event.Marks
	others []event.Event
	wake   chan struct{}
	stop   chan struct{}
	wg     sync.WaitGroup
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

// Publish requests that e is published. When too many wait, the oldest is dropped.
func (p *Publisher) Publish(e event.Event) {
	p.add(func() {
		if len(p.others) >= maxPendingEvents {
			p.others = p.others[1:]
		}
		p.others = append(p.others, e)
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
		dirty, mark, others := p.dirty, p.marks, p.others
		p.dirty, p.marks, p.others = false, nil, nil
		p.mu.Unlock()
		for _, e := range others {
			p.publish(e)
		}
		if dirty {
			p.publish(event.New(event.BrowserChanged, p.current()))
		}
		if mark != nil {
			p.publish(event.New(event.MarksChanged, mark))
		}
	}
}
