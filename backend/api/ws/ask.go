package ws

import (
	"context"
	"encoding/json"
	"errors"

	"sextant/shared/wire"
)

// ErrNoWindow is the error of Ask when no window is connected.
var ErrNoWindow = errors.New("no window is open")

// errWindowClosed is the error of a question whose window was closed first.
var errWindowClosed = errors.New("the window was closed before it answered")

// noteFocus records that the person focused this window. Connections of programs do not count.
func (c *conn) noteFocus() {
	if !c.window {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastFocus = c.hub.focusCount.Add(1)
}

// deliverReply passes a window's answer to the question's caller, or drops it if the caller gave up.
func (c *conn) deliverReply(r *wire.SurfaceReply) error {
	if r == nil {
		return errors.New("surface.reply without reply")
	}
	c.mu.Lock()
	reply := c.pending[r.ID]
	delete(c.pending, r.ID)
	c.mu.Unlock()
	if reply != nil {
		reply <- *r // its buffer holds one, and it gets one
	}
	return nil
}

// focusedConn returns the window that was focused last, nil if none is connected.
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

// Ask asks the window that was focused last about the page of the panel it shows, and returns its answer: JSON from
// outside if the page wrote it. When ctx ends, it cancels the question. It fails with ErrNoWindow if none is connected.
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
		default: // a window that slow finds out when it answers
		}
		return nil, context.Cause(ctx)
	}
}
