package live

import (
	"sync"

	"sextant/shared/wire"
)

const unacknowledged = 2

// Frame is one picture with its header.
type Frame struct {
	Header wire.FrameHeader
	JPEG   []byte
}

// Feed is the stream of pictures of one reader. Its methods may be called concurrently.
type Feed struct {
	mu      sync.Mutex
	number  int64
	acked   int64
	waiting *Frame
	wake    chan struct{}
	stop    chan struct{}
	once    sync.Once
	out     chan Frame
	wg      sync.WaitGroup
}

// NewFeed starts a stream. Close ends it.
func NewFeed() *Feed {
	f := &Feed{wake: make(chan struct{}, 1), stop: make(chan struct{}), out: make(chan Frame)}
	f.wg.Add(1)
	go f.run()
	return f
}

// Frames returns the channel of pictures, which are numbered from 1 in Header.Frame; numbers may be skipped. Close
// closes the channel.
func (f *Feed) Frames() <-chan Frame { return f.out }

// Offer adds a new picture and drops an older one that was not sent yet. It never blocks.
func (f *Feed) Offer(frame Frame) {
	f.mu.Lock()
	f.number++
	frame.Header.Frame = f.number
	f.waiting = &frame
	f.mu.Unlock()
	f.poke()
}

// Ack acknowledges that the reader has drawn picture n and all before it.
func (f *Feed) Ack(n int64) {
	f.mu.Lock()
	if n > f.acked && n <= f.number {
		f.acked = n
	}
	f.mu.Unlock()
	f.poke()
}

// Close ends the stream and waits for its goroutine.
func (f *Feed) Close() {
	f.once.Do(func() { close(f.stop) })
	f.wg.Wait()
}

func (f *Feed) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *Feed) run() {
	defer f.wg.Done()
	defer close(f.out)
	var pending []int64
	for {
		var out chan Frame
		var next Frame
		f.mu.Lock()
		for len(pending) > 0 && pending[0] <= f.acked {
			pending = pending[1:]
		}
		if f.waiting != nil && len(pending) < unacknowledged {
			out, next = f.out, *f.waiting
		}
		f.mu.Unlock()
		select {
		case <-f.stop:
			return
		case <-f.wake:
		case out <- next:
			f.mu.Lock()
			if f.waiting != nil && f.waiting.Header.Frame == next.Header.Frame {
				f.waiting = nil
			}
			f.mu.Unlock()
			pending = append(pending, next.Header.Frame)
		}
	}
}
