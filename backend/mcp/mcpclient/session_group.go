package mcpclient

import (
	"context"
	"sync"
)

// sessionGroup tracks the goroutines that use one session. A sync.WaitGroup does not fit: calls still begin
// while the end of the session is awaited, and must then be refused.
type sessionGroup struct {
	// serverCtx ends when the server is stopped; ctx is derived from it and ends with the session.
	serverCtx, ctx context.Context //nolint:containedctx // the lifetime of the session
	cancel         context.CancelFunc

	mu     sync.Mutex
	n      int
	closed bool
	empty  chan struct{}
}

func newSessionGroup(serverCtx context.Context) *sessionGroup {
	ctx, cancel := context.WithCancel(serverCtx)
	return &sessionGroup{serverCtx: serverCtx, ctx: ctx, cancel: cancel, empty: make(chan struct{})}
}

// within returns a context that ends with ctx or with the session. The caller must call done.
func (g *sessionGroup) within(ctx context.Context) (inner context.Context, done func()) {
	inner, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(g.ctx, cancel)
	return inner, func() { stop(); cancel() }
}

// goDo runs do in a goroutine. It returns false, and does nothing, once wait was called.
func (g *sessionGroup) goDo(do func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.n++
	go func() {
		defer g.leave()
		do()
	}()
	return true
}

func (g *sessionGroup) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 && g.closed {
		close(g.empty)
	}
}

func (g *sessionGroup) wait() {
	g.mu.Lock()
	g.closed = true
	none := g.n == 0
	g.mu.Unlock()
	if !none {
		<-g.empty
	}
}
