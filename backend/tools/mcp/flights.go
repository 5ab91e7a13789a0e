package mcp

import (
	"context"
	"sync"

	"sextant/backend/calls/deadline"
	"sextant/shared/toolspec"
)

// flights are the calls of a server that wait for its answer, so that what it asks in between is
// asked on behalf of the right one.
type flights struct {
	mu  sync.Mutex
	now map[*flight]bool
}

// flight is one such call.
type flight struct {
	ctx  context.Context
	call toolspec.Call
}

type flightKey struct{}

// begin notes a call; land must be called at its end.
func (f *flights) begin(ctx context.Context, call toolspec.Call) (inner context.Context, land func()) {
	one := &flight{call: call}
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
	if one == nil {
		return ctx, toolspec.Call{}, func() {}, false
	}
	inner, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(one.ctx, cancel)
	resume := deadline.Pause(one.ctx)
	return inner, one.call, func() { resume(); stop(); cancel() }, true
}
