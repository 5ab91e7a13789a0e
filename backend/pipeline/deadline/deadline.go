// Package deadline limits the running time of an execution. While a question waits for the person, the clock is paused
// for the execution that asks and for the executions that contain it.
package deadline

import (
	"context"
	"errors"
	"sync"
	"time"
)

// deadline ends an execution when its time is used up. It is paused while a call made by the execution, such as a step
// of run_steps, waits for the person.
type deadline struct {
	// outer is the deadline of the execution that made this call, or nil.
	outer *deadline

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	running time.Time
	paused  int
	over    bool
}

// ErrExceeded is the cause of a context that ended because its time was used up.
var ErrExceeded = errors.New("deadline")

type key struct{}

// With returns a context that ends with the cause ErrExceeded after limit of running time. Call stop when the execution
// has ended.
func With(ctx context.Context, limit time.Duration) (inner context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	d := &deadline{left: limit, running: time.Now(), outer: of(ctx)}
	d.timer = time.AfterFunc(limit, func() { cancel(ErrExceeded) })
	return context.WithValue(ctx, key{}, d), func() {
		d.mu.Lock()
		d.over = true
		d.timer.Stop()
		d.mu.Unlock()
		cancel(nil)
	}
}

// Pause pauses the clocks of the execution that ctx belongs to, if any, and of those that contain it. Call resume once.
func Pause(ctx context.Context) (resume func()) { return of(ctx).pause() }

func of(ctx context.Context) *deadline {
	d, _ := ctx.Value(key{}).(*deadline)
	return d
}

// pause pauses the clocks of d and its outer deadlines until resume is called. d may be nil.
func (d *deadline) pause() (resume func()) {
	if d == nil {
		return func() {}
	}
	outer := d.outer.pause()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paused++; d.paused == 1 && d.timer.Stop() {
		d.left -= time.Since(d.running)
	}
	return func() {
		outer()
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.paused--; d.paused == 0 && !d.over {
			d.running = time.Now()
			d.timer.Reset(max(d.left, 0))
		}
	}
}
