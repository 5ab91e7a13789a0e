package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
	"sextant/backend/surface/screenshot"

	"sextant/shared/annotator"
)

// maxShot bounds a full page's picture, in CSS pixels of its height.
const maxShot = 16_000

var errNoPicture = errors.New("the page does not draw")

// Shot is a picture of the active tab's viewport, of the whole page, or of one element.
// Annotated draws the numbers on the copy.
func (s *Session) Screenshot(ctx context.Context, o surface.ScreenshotOptions) (surface.Picture, error) {
	t, err := s.current(ctx)
	if err != nil {
		return surface.Picture{}, err
	}
	if o.ID != 0 {
		of, f := s.tabOf(o.ID)
		if f != nil {
			return surface.Picture{}, f
		}
		t = of
	}
	release, err := t.acquire(ctx)
	if err != nil {
		return surface.Picture{}, err
	}
	defer release()
	if f := t.fit(); f != nil {
		return surface.Picture{}, f
	}
	ctx, done := t.begin(ctx)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errNoPicture)
	defer cancel()
	shot, err := t.shoot(ctx, o)
	if errors.Is(err, errNoPicture) {
		return surface.Picture{}, &surface.Fault{Kind: surface.FaultTimeout, Message: "The page does not draw: no picture came within 20 s.", Suggestion: `Call navigate_page with action "reload".`}
	}
	if err != nil {
		return surface.Picture{}, t.mend(ctx, err)
	}
	return shot, nil
}

func (t *tab) shoot(ctx context.Context, o surface.ScreenshotOptions) (surface.Picture, error) {
	if err := t.front(ctx); err != nil {
		return surface.Picture{}, err
	}
	s := t.s.b
	s.mu.Lock()
	a := &action{t: t, page: t.page, watch: t.tracker.Begin(s.cfg.Limits)}
	s.mu.Unlock()
	defer a.watch.Close()
	var crop *annotator.Element
	if o.ID != 0 {
		e, err := t.framed(ctx, a, o.ID)
		if err != nil {
			return surface.Picture{}, err
		}
		crop = e
	}
	if crop == nil {
		a.watch.Looks()
	}
	a.watch.Wait(ctx, a.rester())
	l, err := t.observer.look(ctx, collect.Options{WholePage: o.FullPage || crop != nil})
	if err != nil {
		return surface.Picture{}, err
	}
	if crop != nil {
		// What the wait brought may have moved it.
		if i, ok := l.byID[crop.ID]; ok {
			crop = &l.elements[i]
		}
	}
	covered, err := t.s.showing(ctx, l.docs, l.elements)
	if err != nil {
		return surface.Picture{}, err
	}
	f, err := a.capture(ctx, o.FullPage && crop == nil, crop, l)
	if err != nil {
		return surface.Picture{}, err
	}
	// The page may have moved while it was photographed.
	after, err := t.s.showing(ctx, l.docs, nil)
	if err != nil {
		return surface.Picture{}, err
	}
	f.Covered = append(covered, after...)
	return screenshot.Render(f, l.elements, o, crop)
}

// framed brings an element into view and gives back where it then stands.
func (t *tab) framed(ctx context.Context, a *action, id int) (*annotator.Element, error) {
	g, err := t.find(ctx, a, id)
	if err != nil {
		return nil, err
	}
	if err := g.doc.Reveal(ctx, nil); err != nil {
		return nil, err
	}
	if _, err := collect.PointOf(ctx, g.doc, g.thing.Handle, true); err != nil {
		return nil, err
	}
	l, err := t.observer.look(ctx, collect.Options{})
	if err != nil {
		return nil, err
	}
	i, ok := l.byID[id]
	if !ok {
		return nil, &surface.Fault{Kind: surface.FaultBlocked, Message: fmt.Sprintf("%s cannot be seen now.", g.name()), Suggestion: "Call annotate_page."}
	}
	return &l.elements[i], nil
}

// capture takes the picture of the viewport, of the full page, or, of an element that is larger
// than the viewport, of the part of the page that it takes.
func (a *action) capture(ctx context.Context, full bool, crop *annotator.Element, l *snapshot) (screenshot.Capture, error) {
	f := screenshot.Capture{Width: l.width}
	req := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng}
	large := crop != nil && (crop.Box.X < 0 || crop.Box.Y < 0 || crop.Box.X+crop.Box.Width > l.width || crop.Box.Y+crop.Box.Height > l.height)
	if full || large {
		m, err := proto.PageGetLayoutMetrics{}.Call(a.client(ctx))
		if err != nil {
			return f, fmt.Errorf("measuring the page: %w", err)
		}
		size, view := m.CSSContentSize, m.CSSVisualViewport
		if size == nil || view == nil {
			return f, fmt.Errorf("measuring the page: it has no size")
		}
		clip := proto.PageViewport{Width: size.Width, Height: size.Height, Scale: 1}
		if large {
			const margin = 8
			clip.X, clip.Y = math.Max(0, crop.Box.X+view.PageX-margin), math.Max(0, crop.Box.Y+view.PageY-margin)
			clip.Width = math.Min(crop.Box.Width+2*margin, size.Width-clip.X)
			clip.Height = math.Min(crop.Box.Height+2*margin, size.Height-clip.Y)
		}
		clip.Width, clip.Height = math.Max(1, math.Min(clip.Width, maxShot)), math.Max(1, math.Min(clip.Height, maxShot))
		f.OffsetX, f.OffsetY, f.Width = view.PageX-clip.X, view.PageY-clip.Y, clip.Width
		req.CaptureBeyondViewport, req.Clip = true, &clip
	}
	res, err := req.Call(a.client(ctx))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return f, cause
		}
		return f, fmt.Errorf("taking the picture: %w", err)
	}
	f.PNG = res.Data
	return f, nil
}
