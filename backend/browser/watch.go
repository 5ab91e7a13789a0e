package browser

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/live"
	"sextant/backend/surface"
	"sextant/shared/wire"
)

// LiveFrame is one picture of the live view.
type LiveFrame = live.Frame

// Live is one reader of the window's active tab as pictures. Its methods may be called
// concurrently.
type Live struct {
	b    *Browser
	feed *live.Feed
	once sync.Once
	// width, height, scale are guarded by Browser.mu.
	width, height int
	scale         float64
}

// OpenLive starts showing the window's active tab, following which tab that is; the page
// takes the size of the place, in CSS pixels, with scale device pixels each. It starts no
// Chromium: pictures come once there is a tab. With several readers the newest one's size
// holds. Close it.
func (b *Browser) OpenLive(width, height int, scale float64) (*Live, error) {
	l := &Live{b: b}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, errClosed
	}
	l.feed = live.NewFeed()
	l.size(width, height, scale)
	b.lives = append(b.lives, l)
	b.cast = nil
	b.mu.Unlock()
	b.recast()
	b.nudge()
	return l, nil
}

// size takes a place's size within reason. Called under mu.
func (l *Live) size(width, height int, scale float64) {
	l.width, l.height = min(max(width, 200), 4096), min(max(height, 150), 4096)
	if !(scale >= 0.5 && scale <= 4) {
		scale = 1
	}
	l.scale = scale
}

// Frames is where pictures come out; at most two are on their way without an Ack. It is
// closed by Close.
func (l *Live) Frames() <-chan LiveFrame { return l.feed.Frames() }

// Ack says that the picture with this Header.Frame, and all before it, are drawn.
func (l *Live) Ack(frame int64) { l.feed.Ack(frame) }

// Resize makes the page follow a new size of the place.
func (l *Live) Resize(width, height int, scale float64) {
	l.b.mu.Lock()
	w, h, s := l.width, l.height, l.scale
	l.size(width, height, scale)
	if w == l.width && h == l.height && s == l.scale {
		l.b.mu.Unlock()
		return
	}
	l.b.cast = nil
	l.b.mu.Unlock()
	l.b.recast()
	l.b.nudge()
}

// Close ends the stream.
func (l *Live) Close() {
	l.once.Do(func() {
		l.b.mu.Lock()
		l.b.lives = slices.DeleteFunc(l.b.lives, func(o *Live) bool { return o == l })
		l.b.mu.Unlock()
		l.b.recast()
		l.feed.Close()
	})
}

// Input passes on what a person's hand does on the picture of the window's active tab. It
// does not wait for the page, except where order needs it, and never for an action.
func (b *Browser) Input(ctx context.Context, in wire.Input) error {
	return b.Session("").Input(ctx, in)
}

// Input is Browser.Input for any session.
func (s *Session) Input(ctx context.Context, in wire.Input) error {
	s.b.mu.Lock()
	t := s.active
	if t == nil || t.page == nil {
		s.b.mu.Unlock()
		return &surface.Fault{Kind: surface.FaultNoPage, Message: "No page is open.", Suggestion: "Open an address first."}
	}
	p := t.page
	if t.dialog != nil {
		f := t.dialogFault()
		s.b.mu.Unlock()
		return f
	}
	note := handNote{in: in, at: time.Now(), url: t.url}
	if in.Type == "down" {
		note.hit = s.under(in.X, in.Y)
	}
	s.b.mu.Unlock()
	if s.owner == "" {
		s.b.note(note)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := input.Hand(p.Client(ctx), in); err != nil {
		if t.open() != nil {
			return nil
		}
		return fmt.Errorf("passing the hand on: %w", err)
	}
	if in.Type != "move" || in.Button != "" {
		s.b.nudge()
	}
	return nil
}

// nudge asks for the window's marks to be looked at again.
func (b *Browser) nudge() {
	select {
	case b.poke <- struct{}{}:
	default:
	}
}

// refresh keeps the marks true while somebody looks at the page: after a person's hand, a
// scroll or a navigation that no action made, it looks again.
func (b *Browser) refresh(ctx context.Context) {
	defer b.wg.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.poke:
		}
		b.mu.Lock()
		var t *tab
		if w := b.sessions[""]; w != nil && len(b.lives) > 0 && w.active != nil && w.active.page != nil &&
			w.active.dialog == nil && !w.active.crashed {
			t = w.active
			t.owed = true
		}
		b.mu.Unlock()
		if t == nil {
			continue
		}
		select {
		case t.queue <- struct{}{}:
			t.glance(ctx)
			<-t.queue
		default:
			// An action runs: its own look will tell, or its end asks again.
		}
	}
}

// glance looks at the viewport once more and tells the window, for who holds the turn.
func (t *tab) glance(ctx context.Context) {
	b := t.s.b
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	ctx, done := t.begin(ctx)
	defer done()
	b.mu.Lock()
	if t.page == nil || t.waiting > 0 {
		b.mu.Unlock()
		return
	}
	t.yields = cancel
	defer t.set(func() { t.yields = nil })
	a := &action{t: t, page: t.page, watch: t.tracker.Begin(b.cfg.Limits)}
	b.mu.Unlock()
	a.watch.Looks()
	res := a.watch.Wait(ctx, a.rester())
	a.watch.Close()
	now, err := a.see(ctx, res)
	if err != nil {
		t.set(func() { t.owed = true }) // it gave way, mostly
		return
	}
	b.mu.Lock()
	// What an action will answer is compared with what it saw itself, not with this.
	now.page.Version = t.version
	t.glanced = now
	b.mu.Unlock()
	t.numbered(now)
}
