package mcp

import (
	"context"
	"sync"
	"sync/atomic"

	"sextant/backend/calls/deadline"
	"sextant/shared/toolspec"
)

// flights are the calls of a server that wait for its answer, so that what it asks in between is
// asked on behalf of the right one.
type flights struct {
	mu  sync.Mutex
	now map[*flight]bool
	// tokens counts the names under which servers tell of progress.
	tokens int64
}

// flight is one such call.
type flight struct {
	ctx  context.Context
	call toolspec.Call
	// asked counts the questions of the call; one holds a value while one of them is put.
	asked atomic.Int32
	one   chan struct{}
	// token is what the server tells of its progress under, meter where to; flights.mu guards them.
	token string
	meter *meter
	// task is what the server goes on with instead of answering, "" while it does not.
	task string
}

// maxQuestions bounds how often a server may ask the person in one call.
const maxQuestions = 10

// turn waits until no other question of the call is put; ok is false when there were too many of
// them, or ctx ended. leave must be called after the question.
func (o *flight) turn(ctx context.Context) (leave func(), ok bool) {
	if o.asked.Add(1) > maxQuestions {
		return nil, false
	}
	select {
	case o.one <- struct{}{}:
		return func() { <-o.one }, true
	case <-ctx.Done():
		return nil, false
	}
}

type flightKey struct{}

// begin notes a call; land must be called at its end.
func (f *flights) begin(ctx context.Context, call toolspec.Call) (inner context.Context, land func()) {
	one := &flight{call: call, one: make(chan struct{}, 1)}
	one.ctx = context.WithValue(ctx, flightKey{}, one)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		f.now = map[*flight]bool{}
	}
	f.now[one] = true
	return one.ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.now, one)
	}
}

// none is true while no call waits.
func (f *flights) none() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.now) == 0
}

// of is the call that a question belongs to: the one whose context it came with, or, as servers of
// the older handshake do not say, the only one. Until done its time stands still, and inner ends
// with the call.
func (f *flights) of(ctx context.Context) (inner context.Context, call toolspec.Call, done func(), ok bool) {
	one := f.whose(ctx)
	if one == nil {
		return ctx, toolspec.Call{}, func() {}, false
	}
	inner, done = one.join(ctx)
	return inner, one.call, done, true
}

// whose is the call that a question belongs to, nil where that is not known.
func (f *flights) whose(ctx context.Context) *flight {
	one, said := ctx.Value(flightKey{}).(*flight)
	if !said {
		f.mu.Lock()
		if len(f.now) == 1 {
			for only := range f.now {
				one = only
			}
		}
		f.mu.Unlock()
	}
	return one
}

// join has inner end with the call, whose time stands still until done.
func (o *flight) join(ctx context.Context) (inner context.Context, done func()) {
	inner, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(o.ctx, cancel)
	resume := deadline.Pause(o.ctx)
	return inner, func() { resume(); stop(); cancel() }
}
