package browser

import (
	"sync"

	"sextant/shared/event"
)

// backlog bounds the pointer moves that wait to be published; the oldest are left out.
const backlog = 64

// voice publishes live events from one goroutine, so that neither the browser's reader nor
// an action waits for whoever listens. State and marks are told newest only.
type voice struct {
	say func(event.Event)
	now func() event.BrowserState

	mu       sync.Mutex
	dirty    bool
	mark     *event.Marks
	pointers []event.Pointer
	wake     chan struct{}
	stop     chan struct{}
	wg       sync.WaitGroup
}

func newVoice(say func(event.Event), now func() event.BrowserState) *voice {
	v := &voice{say: say, now: now, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	if say != nil {
		v.wg.Add(1)
		go v.run()
	}
	return v
}

func (v *voice) state() { v.add(func() { v.dirty = true }) }

func (v *voice) marks(m *event.Marks) { v.add(func() { v.mark = m }) }

func (v *voice) pointer(p event.Pointer) {
	v.add(func() {
		if len(v.pointers) >= backlog {
			v.pointers = v.pointers[1:]
		}
		v.pointers = append(v.pointers, p)
	})
}

func (v *voice) add(f func()) {
	if v.say == nil {
		return
	}
	v.mu.Lock()
	f()
	v.mu.Unlock()
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

func (v *voice) close() {
	close(v.stop)
	v.wg.Wait()
}

func (v *voice) run() {
	defer v.wg.Done()
	for {
		select {
		case <-v.stop:
			return
		case <-v.wake:
		}
		v.mu.Lock()
		dirty, mark, pointers := v.dirty, v.mark, v.pointers
		v.dirty, v.mark, v.pointers = false, nil, nil
		v.mu.Unlock()
		for _, p := range pointers {
			v.say(event.New(event.PointerMoved, p))
		}
		if dirty {
			v.say(event.New(event.BrowserChanged, v.now()))
		}
		if mark != nil {
			v.say(event.New(event.MarksChanged, mark))
		}
	}
}
