package mcp

import (
	"context"
	"sync"
)

// crowd are the goroutines that ask in one session. A sync.WaitGroup does not fit: calls still begin
// while the end of the session is waited for, and must then be turned away.
type crowd struct {
	// on ends when the server is stopped, life, which is within it, with the session; over ends life.
	on, life context.Context
	over     context.CancelFunc

	mu    sync.Mutex
	n     int
	shut  bool
	empty chan struct{}
}

func newCrowd(on context.Context) *crowd {
	life, over := context.WithCancel(on)
	return &crowd{on: on, life: life, over: over, empty: make(chan struct{})}
}

// within is ctx, but ends with the session, too; done must be called.
func (c *crowd) within(ctx context.Context) (inner context.Context, done func()) {
	inner, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel)
	return inner, func() { stop(); cancel() }
}

// enter runs do, unless the session is over.
func (c *crowd) enter(do func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut {
		return false
	}
	c.n++
	go func() {
		defer c.leave()
		do()
	}()
	return true
}

func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 && c.shut {
		close(c.empty)
	}
}

// end turns everybody away who comes now and waits for those who are there. Call it once.
func (c *crowd) end() {
	c.mu.Lock()
	c.shut = true
	none := c.n == 0
	c.mu.Unlock()
	if !none {
		<-c.empty
	}
}
