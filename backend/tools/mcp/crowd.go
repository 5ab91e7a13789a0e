package mcp

import "sync"

// crowd are the goroutines that ask in one session. A sync.WaitGroup does not fit: calls still begin
// while the end of the session is waited for, and must then be turned away.
type crowd struct {
	mu    sync.Mutex
	n     int
	shut  bool
	empty chan struct{}
}

func newCrowd() *crowd { return &crowd{empty: make(chan struct{})} }

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
