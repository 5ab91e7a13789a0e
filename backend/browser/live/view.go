// Package live shows the window's active tab to people: the screencast and its readers, the numbers on it, the
// person's input, and the steps recorded from that input.
package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/clipboard"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// View shows the window's active tab to all its readers: it runs the screencast, keeps the numbers up to date and
// dispatches the person's input. It implements page.Viewer.
type View struct {
	manager         *page.Manager
	recorder        *inputRecorder
	clipboard       *clipboard.Clipboard
	refreshRequests chan struct{}
	quit            context.CancelFunc

	// The fields below are guarded by the manager's lock.
	readers []*Reader
	// pressed is when the person last pressed a button or key, copied what they copied last and no window has taken,
	// picker the document with the list or picker that is open, nil for none, and options those of a list.
	pressed time.Time
	copied  wire.Clipboard
	picker  *cdp.Document
	options []event.PickerOption
	// picked is the step of choosing from it, without the chosen value.
	picked recordedInput
	// systemClipboard puts what was copied on the system's clipboard; nil leaves that to the windows.
	systemClipboard func(wire.Clipboard)
	// shown is the tab with the running screencast; due is the picture of it that is expected, nil for none.
	shown *page.Tab
	due   *duePicture
}

var _ page.Viewer = (*View)(nil)

// NewView starts the view of m. onStep receives the steps of the person; nil drops them.
func NewView(m *page.Manager, onStep func(Step)) *View {
	v := &View{manager: m, refreshRequests: make(chan struct{}, 1), clipboard: clipboard.New()}
	v.recorder = newRecorder(m, onStep)
	if onStep != nil {
		m.Go(v.recorder.run)
	}
	ctx, cancel := context.WithCancel(context.Background())
	v.quit = cancel
	m.Go(func() { v.refresh(ctx) })
	return v
}

// Close ends all readers. Manager.Wait waits for the goroutines of the view.
func (v *View) Close() {
	v.quit()
	v.manager.Lock()
	readers := v.readers
	v.manager.Unlock()
	for _, l := range readers {
		l.Close()
	}
}

// Reader is a stream of pictures of the window's active tab. Its methods may be called concurrently.
type Reader struct {
	view *View
	feed *Feed
	once sync.Once
	// width, height and scale are guarded by the manager's lock.
	width, height int
	scale         float64
}

// OpenReader adds a reader; see Browser.OpenLiveReader. The error is page.ErrClosed once the browser is closed.
func (v *View) OpenReader(width, height int, scale float64) (*Reader, error) {
	l := &Reader{view: v}
	v.manager.Lock()
	if v.manager.Closed() {
		v.manager.Unlock()
		return nil, page.ErrClosed
	}
	l.feed = NewFeed()
	l.setSize(width, height, scale)
	v.readers = append(v.readers, l)
	v.shown = nil
	v.manager.Unlock()
	v.UpdateFront()
	v.RequestMarks()
	return l, nil
}

// setSize is called under the lock.
func (r *Reader) setSize(width, height int, scale float64) {
	r.width, r.height = min(max(width, 200), 4096), min(max(height, 150), 4096)
	if !(scale >= 0.5 && scale <= 4) {
		scale = 1
	}
	r.scale = scale
}

// Frames returns the channel of pictures. At most two are sent without an Ack. Close closes the channel.
func (r *Reader) Frames() <-chan Frame { return r.feed.Frames() }

// Ack acknowledges that the picture with this Header.Frame, and all before it, are drawn.
func (r *Reader) Ack(frame int64) { r.feed.Ack(frame) }

// Resize sets the size of the page to that of the area that shows it, in CSS pixels with scale device pixels each.
func (r *Reader) Resize(width, height int, scale float64) {
	r.view.manager.Lock()
	w, h, s := r.width, r.height, r.scale
	r.setSize(width, height, scale)
	if w == r.width && h == r.height && s == r.scale {
		r.view.manager.Unlock()
		return
	}
	r.view.shown = nil
	r.view.manager.Unlock()
	r.view.UpdateFront()
	r.view.RequestMarks()
}

// Close ends the stream.
func (r *Reader) Close() {
	r.once.Do(func() {
		r.view.manager.Lock()
		r.view.readers = slices.DeleteFunc(r.view.readers, func(o *Reader) bool { return o == r })
		remain := len(r.view.readers) > 0
		if remain {
			r.view.shown = nil // the page takes the size for the newest of the others
		}
		r.view.manager.Unlock()
		r.view.UpdateFront()
		if remain {
			r.view.RequestMarks()
		}
		r.feed.Close()
	})
}

// DispatchInput passes the person's input on to the page of the session's active tab; see Browser.DispatchInput.
func (v *View) DispatchInput(ctx context.Context, s *page.Session, in wire.Input) error {
	v.manager.Lock()
	t := s.Active
	if t == nil || t.Page == nil {
		v.manager.Unlock()
		return &surface.Fault{
			Kind: surface.FaultNoPage, Message: "No page is open.",
			Suggestion: "Open an address first.",
		}
	}
	p := t.Page
	if t.Dialog != nil {
		f := t.DialogFault()
		v.manager.Unlock()
		return f
	}
	got := recordedInput{in: in, at: time.Now(), url: t.URL}
	if in.Type == "down" {
		got.hit, got.ref = t.ElementAt(in.X, in.Y)
	}
	if in.Type != "move" && in.Type != "wheel" {
		v.pressed = time.Now()
	}
	v.manager.Unlock()
	if s.Owner == "" {
		v.recorder.record(got)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := input.Dispatch(p.Client(ctx), in); err != nil {
		if t.CurrentDialog() != nil {
			return nil
		}
		return fmt.Errorf("passing on the input: %w", err)
	}
	if in.Type != "move" || in.Button != "" {
		v.RequestMarks()
	}
	return nil
}

// ReportSteps waits until all steps of the person have been reported, or until ctx ends.
func (v *View) ReportSteps(ctx context.Context) {
	reported := make(chan struct{})
	v.recorder.record(recordedInput{reported: reported})
	select {
	case <-reported:
	case <-ctx.Done():
	}
}

// RequestMarks implements page.Viewer.
func (v *View) RequestMarks() {
	select {
	case v.refreshRequests <- struct{}{}:
	default:
	}
}

// HandleBrowserEnd implements page.Viewer.
func (v *View) HandleBrowserEnd() { v.shown = nil }

// HandleEnteredText implements page.Viewer.
func (v *View) HandleEnteredText(k page.EnteredText) { v.recorder.addEnteredText(k) }

// refresh takes a snapshot after RequestMarks was called, while there are readers.
func (v *View) refresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.refreshRequests:
		}
		v.manager.Lock()
		t := v.manager.WindowTab()
		if len(v.readers) == 0 || t == nil || t.Page == nil || t.Dialog != nil || t.Crashed {
			t = nil
		} else {
			t.Stale = true
		}
		v.manager.Unlock()
		if t == nil {
			continue
		}
		// While an action runs, its own snapshot is enough, or its end requests another refresh.
		t.TryRefresh(ctx)
	}
}
