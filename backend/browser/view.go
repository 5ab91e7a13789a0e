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

// view shows the window's active tab to all its readers: it runs the screencast, keeps the numbers up to date
// and takes a person's input. It implements viewer.
type view struct {
	m        *manager
	recorder *recorder
	poke     chan struct{}
	quit     context.CancelFunc

	// All below is guarded by the manager's lock.
	readers []*Live
	// shown is the tab whose screencast runs; due is a picture of it that must come.
	shown *tab
	due   *duePicture
}

var _ viewer = (*view)(nil)

// newView starts the view of m; onStep receives what a person does, nil for nobody.
func newView(m *manager, onStep func(Step)) *view {
	v := &view{m: m, poke: make(chan struct{}, 1)}
	v.recorder = newRecorder(m, onStep)
	if onStep != nil {
		m.Go(v.recorder.run)
	}
	life, quit := context.WithCancel(context.Background())
	v.quit = quit
	m.Go(func() { v.refresh(life) })
	return v
}

// close ends all readers. The goroutines end with the manager.
func (v *view) close() {
	v.quit()
	v.m.Lock()
	readers := v.readers
	v.m.Unlock()
	for _, l := range readers {
		l.Close()
	}
}

// Live is one reader of the window's active tab as pictures. Its methods may be called concurrently.
type Live struct {
	v    *view
	feed *live.Feed
	once sync.Once
	// width, height, scale are guarded by the manager's lock.
	width, height int
	scale         float64
}

// open adds a reader, see Browser.OpenLive.
func (v *view) open(width, height int, scale float64) (*Live, error) {
	l := &Live{v: v}
	v.m.Lock()
	if v.m.Closed() {
		v.m.Unlock()
		return nil, errClosed
	}
	l.feed = live.NewFeed()
	l.setSize(width, height, scale)
	v.readers = append(v.readers, l)
	v.shown = nil
	v.m.Unlock()
	v.FrontChanged()
	v.PageChanged()
	return l, nil
}

// setSize takes a size within reason. Called under the lock.
func (l *Live) setSize(width, height int, scale float64) {
	l.width, l.height = min(max(width, 200), 4096), min(max(height, 150), 4096)
	if !(scale >= 0.5 && scale <= 4) {
		scale = 1
	}
	l.scale = scale
}

// Frames is where pictures come out; at most two are sent without an Ack. It is closed by Close.
func (l *Live) Frames() <-chan LiveFrame { return l.feed.Frames() }

// Ack says that the picture with this Header.Frame, and all before it, are drawn.
func (l *Live) Ack(frame int64) { l.feed.Ack(frame) }

// Resize makes the page follow a new size of the place it is shown in.
func (l *Live) Resize(width, height int, scale float64) {
	l.v.m.Lock()
	w, h, s := l.width, l.height, l.scale
	l.setSize(width, height, scale)
	if w == l.width && h == l.height && s == l.scale {
		l.v.m.Unlock()
		return
	}
	l.v.shown = nil
	l.v.m.Unlock()
	l.v.FrontChanged()
	l.v.PageChanged()
}

// Close ends the stream.
func (l *Live) Close() {
	l.once.Do(func() {
		l.v.m.Lock()
		l.v.readers = slices.DeleteFunc(l.v.readers, func(o *Live) bool { return o == l })
		l.v.m.Unlock()
		l.v.FrontChanged()
		l.feed.Close()
	})
}

// input passes on what a person does on the picture of the session's active tab, see Browser.Input.
func (v *view) input(ctx context.Context, s *Session, in wire.Input) error {
	v.m.Lock()
	t := s.active
	if t == nil || t.page == nil {
		v.m.Unlock()
		return &surface.Fault{Kind: surface.FaultNoPage, Message: "No page is open.", Suggestion: "Open an address first."}
	}
	p := t.page
	if t.dialog != nil {
		f := t.dialogFault()
		v.m.Unlock()
		return f
	}
	got := recordedInput{in: in, at: time.Now(), url: t.url}
	if in.Type == "down" {
		got.hit = t.elementAt(in.X, in.Y)
	}
	v.m.Unlock()
	if s.owner == "" {
		v.recorder.record(got)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := input.Hand(p.Client(ctx), in); err != nil {
		if t.open() != nil {
			return nil
		}
		return fmt.Errorf("passing on the input: %w", err)
	}
	if in.Type != "move" || in.Button != "" {
		v.PageChanged()
	}
	return nil
}

// PageChanged implements viewer.
func (v *view) PageChanged() {
	select {
	case v.poke <- struct{}{}:
	default:
	}
}

// Disconnected implements viewer.
func (v *view) Disconnected() { v.shown = nil }

// Typed implements viewer.
func (v *view) Typed(k keystroke) { v.recorder.hear(k) }

// refresh keeps the numbers up to date while somebody watches the page: after a person's input, a scroll or a
// navigation that no action made, it takes another snapshot.
func (v *view) refresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.poke:
		}
		v.m.Lock()
		t := v.m.WindowTab()
		if len(v.readers) == 0 || t == nil || t.page == nil || t.dialog != nil || t.crashed {
			t = nil
		} else {
			t.stale = true
		}
		v.m.Unlock()
		if t == nil {
			continue
		}
		// While an action runs its own snapshot does, or its end asks again.
		t.tryRefresh(ctx)
	}
}
