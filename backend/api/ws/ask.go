package ws

import (
	"context"
	"encoding/json"
	"errors"

	"sextant/shared/wire"
)

// ErrNoWindow is returned by Ask when no window is connected.
var ErrNoWindow = errors.New("no window is open")

var errWindowClosed = errors.New("the window was closed before it answered")

func (c *conn) noteFocus(inFront bool) {
	if !c.window {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if inFront || c.lastFocus == 0 {
		c.lastFocus = c.hub.focusCount.Add(1)
	}
	c.inFront = inFront
}

// InFront reports whether a window has the focus, so that the person sees it.
func (h *Hub) InFront() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		c.mu.Lock()
		inFront := c.inFront && c.ctx.Err() == nil
		c.mu.Unlock()
		if inFront {
			return true
		}
	}
	return false
}

func (c *conn) deliverReply(r *wire.SurfaceReply) error {
	if r == nil {
		return errors.New("surface.reply without reply")
	}
	c.mu.Lock()
	reply := c.pending[r.ID]
	delete(c.pending, r.ID)
	c.mu.Unlock()
	if reply != nil {
		reply <- *r // buffered for the only reply
	}
	return nil
}

func (h *Hub) focusedConn() *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	var best *conn
	var newest int64
	for c := range h.conns {
		c.mu.Lock()
		focus := c.lastFocus
		c.mu.Unlock()
		if focus > newest && c.ctx.Err() == nil {
			best, newest = c, focus
		}
	}
	return best
}

// Ask asks the window that was focused last about the panel page that it shows, and returns its answer as JSON, which
// is text from outside if the page wrote it. When ctx ends, Ask cancels the question. Without a connected window it
// returns ErrNoWindow.
func (h *Hub) Ask(ctx context.Context, ask wire.SurfaceRequest) (json.RawMessage, error) {
	c := h.focusedConn()
	if c == nil {
		return nil, ErrNoWindow
	}
	ask.ID = h.askCount.Add(1)
	answer := make(chan wire.SurfaceReply, 1)
	c.mu.Lock()
	if c.pending == nil {
		c.pending = map[int64]chan wire.SurfaceReply{}
	}
	c.pending[ask.ID] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.pending, ask.ID)
	}()
	select {
	case c.out <- envelope("surface.ask", ask):
	case <-c.ctx.Done():
		return nil, errWindowClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case r := <-answer:
		if r.Error != "" {
			return nil, errors.New(r.Error)
		}
		return r.Value, nil
	case <-c.ctx.Done():
		return nil, errWindowClosed
	case <-ctx.Done():
		select {
		case c.out <- envelope("surface.cancel", wire.SurfaceCancel{ID: ask.ID}):
		default: // the answer of a window that is too slow is dropped
		}
		return nil, context.Cause(ctx)
	}
}
