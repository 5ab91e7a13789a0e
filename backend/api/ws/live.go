package ws

import (
	"errors"
	"fmt"

	"sextant/backend/browser"
	"sextant/shared/wire"
)

// These bound each side of the picture, in CSS pixels.
const (
	minSide = 120
	maxSide = 4096
)

func (c *conn) handle(m wire.ClientMessage) error {
	switch m.Kind {
	case "live.open":
		return c.openLive(m)
	case "live.close":
		c.closeLive()
		return nil
	case "live.ack":
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.live != nil {
			c.live.Ack(m.Frame)
		}
		return nil
	case "focus", "blur":
		c.noteFocus(m.Kind == "focus")
		return nil
	case "surface.reply":
		return c.deliverReply(m.Reply)
	case "input":
		if m.Input == nil {
			return errors.New("input without input")
		}
		if !c.window {
			return errors.New("only a window may send input to the page; call a tool instead")
		}
		if m.Session = c.shown(); m.Session == "" {
			c.takeOver(m.Input.Type)
		}
		c.inputs.add(m)
		return nil
	}
	return fmt.Errorf("unknown message kind %q", m.Kind)
}

// takeOver lets a person who presses a button or key on the picture take over the page from a running call.
func (c *conn) takeOver(input string) {
	if input != "down" && input != "keydown" {
		return
	}
	if state := c.hub.cfg.Browser.State(); state.Actor != "" && !state.TakenOver {
		c.hub.cfg.Browser.SetTakenOver(true)
	}
}

func (c *conn) openLive(m wire.ClientMessage) error {
	if m.Width < minSide || m.Height < minSide || m.Width > maxSide || m.Height > maxSide {
		return fmt.Errorf("a live view is %d to %d pixels on a side, not %d × %d", minSide, maxSide, m.Width,
			m.Height)
	}
	scale := min(max(m.Scale, 1), 3)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != nil && c.session == m.Session {
		c.live.Resize(m.Width, m.Height, scale)
		return nil
	}
	b := c.browserOf(m.Session)
	if b == nil {
		return errors.New("the page of this row is not yours to control any more")
	}
	live, err := b.OpenLiveReader(m.Width, m.Height, scale)
	if err != nil {
		return fmt.Errorf("opening the live view: %w", err)
	}
	c.endLive()
	c.live, c.session = live, m.Session
	c.setLive(live)
	return nil
}

// browserOf returns the browser of a session that people see: that of a run that was taken over, or the window's for
// "". It is nil for any other.
func (c *conn) browserOf(session string) *browser.Browser {
	switch {
	case session == "":
		return c.hub.cfg.Browser
	case !c.window:
		return nil
	}
	return c.hub.cfg.TakenOver(session)
}

// shown returns the session that the live view shows.
func (c *conn) shown() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

func (c *conn) closeLive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live == nil {
		return
	}
	c.endLive()
	c.setLive(nil)
}

// endLive closes the live view and gives back the page of a run that it showed. It requires mu.
func (c *conn) endLive() {
	if c.live != nil {
		c.live.Close()
	}
	if c.session != "" {
		c.hub.cfg.GiveBack(c.session)
	}
	c.live, c.session = nil, ""
}

// setLive replaces a waiting value, so it never blocks. It requires mu.
func (c *conn) setLive(live *browser.LiveReader) {
	select {
	case <-c.replaceLive:
	default:
	}
	c.replaceLive <- live
}
