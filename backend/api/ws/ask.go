package ws

import (
	"context"
	"encoding/json"
	"errors"

	"sextant/shared/wire"
)

// ErrNoWindow says that no window is connected that could be asked.
var ErrNoWindow = errors.New("no window is open")

// errWindowGone ends a question whose window was closed before it answered.
var errWindowGone = errors.New("the window was closed before it answered")

// turnedTo notes that a person turned to this window. Only a window's own connection counts.
func (c *conn) turnedTo() {
	if !c.window {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked = c.hub.looks.Add(1)
}

// replied hands a window's answer to who asked. One that nobody waits for any more is dropped.
func (c *conn) replied(r *wire.SurfaceReply) error {
	if r == nil {
		return errors.New("surface.reply without reply")
	}
	c.mu.Lock()
	waiting := c.asked[r.ID]
	delete(c.asked, r.ID)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- *r // it has room for one, and gets one
	}
	return nil
}

// inFront is the window that a person turned to last, nil when none is connected.
func (h *Hub) inFront() *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	var best *conn
	var newest int64
	for c := range h.conns {
		c.mu.Lock()
		looked := c.looked
		c.mu.Unlock()
		if looked > newest && c.ctx.Err() == nil {
			best, newest = c, looked
		}
	}
	return best
}

// Ask asks the window that a person turned to last about the page of the panel it shows, and returns its
// answer: JSON of unknown form where a page wrote it. It gives up with ctx, and then tells the window so.
// ErrNoWindow when none is connected.
func (h *Hub) Ask(ctx context.Context, ask wire.SurfaceAsk) (json.RawMessage, error) {
	c := h.inFront()
	if c == nil {
		return nil, ErrNoWindow
	}
	ask.ID = h.asks.Add(1)
	answer := make(chan wire.SurfaceReply, 1)
	c.mu.Lock()
	if c.asked == nil {
		c.asked = map[int64]chan wire.SurfaceReply{}
	}
	c.asked[ask.ID] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asked, ask.ID)
	}()
	select {
	case c.out <- envelope("surface.ask", ask):
	case <-c.ctx.Done():
		return nil, errWindowGone
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
		return nil, errWindowGone
	case <-ctx.Done():
		select {
		case c.out <- envelope("surface.cancel", wire.SurfaceCancel{ID: ask.ID}):
		default: // a window that is that slow finds out by itself
		}
		return nil, context.Cause(ctx)
	}
}
