package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/act"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/backend/surface/screenshot"
	"sextant/shared/annotation"
)

// maxScreenshotHeight bounds the height and width of a picture that shows more than the viewport, in CSS pixels.
const maxScreenshotHeight = 16_000

var errNoScreenshot = errors.New("the page does not draw")

// Screenshot takes a picture of the active tab's viewport, of the whole page, or of one element.
func Screenshot(ctx context.Context, s *page.Session, o surface.ScreenshotOptions) (surface.Picture, error) {
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return surface.Picture{}, err
	}
	if o.ID != 0 {
		of, f := s.TabOfElement(o.ID)
		if f != nil {
			return surface.Picture{}, f
		}
		t = of
	}
	release, err := t.Acquire(ctx)
	if err != nil {
		return surface.Picture{}, err
	}
	defer release()
	if f := t.CheckReady(); f != nil {
		return surface.Picture{}, f
	}
	ctx, done := t.Begin(ctx)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errNoScreenshot)
	defer cancel()
	shot, err := capturePage(ctx, t, o)
	if errors.Is(err, errNoScreenshot) {
		return surface.Picture{}, &surface.Fault{
			Kind:       surface.FaultTimeout,
			Message:    "The page does not draw: no picture came within 20 s.",
			Suggestion: `Call navigate_page with action "reload".`,
		}
	}
	if err != nil {
		return surface.Picture{}, t.Explain(ctx, err)
	}
	return shot, nil
}

func capturePage(ctx context.Context, t *page.Tab, o surface.ScreenshotOptions) (surface.Picture, error) {
	if err := t.BringToFront(ctx); err != nil {
		return surface.Picture{}, err
	}
	s := t.Session.Manager
	s.Lock()
	a := &page.Action{Tab: t, Page: t.Page, Watch: t.Tracker.Begin(s.Config.Limits)}
	s.Unlock()
	defer a.Watch.Close()
	var crop *annotation.Element
	if o.ID != 0 {
		e, err := revealElement(ctx, t, a, o.ID)
		if err != nil {
			return surface.Picture{}, err
		}
		crop = e
	}
	if crop == nil {
		a.Watch.SetReadOnly()
	}
	a.Watch.Wait(ctx, a.ActivityFunc())
	l, err := t.Observer.Snapshot(ctx, collect.Options{WholePage: o.FullPage || crop != nil})
	if err != nil {
		return surface.Picture{}, err
	}
	if crop != nil {
		// The element may have moved during the wait.
		if i, ok := l.ByID[crop.ID]; ok {
			crop = &l.Elements[i]
		}
	}
	covered, err := t.Session.SecretBoxes(ctx, l.Documents, l.Elements)
	if err != nil {
		return surface.Picture{}, err
	}
	f, err := capture(ctx, a, o.FullPage && crop == nil, crop, l)
	if err != nil {
		return surface.Picture{}, err
	}
	// The page may have moved during the capture.
	after, err := t.Session.SecretBoxes(ctx, l.Documents, nil)
	if err != nil {
		return surface.Picture{}, err
	}
	f.CoveredBoxes = append(covered, after...)
	return screenshot.Render(f, l.Elements, o, crop)
}

func revealElement(ctx context.Context, t *page.Tab, a *page.Action, id int) (*annotation.Element, error) {
	g, err := act.FindTarget(ctx, t, a, id)
	if err != nil {
		return nil, err
	}
	if err := g.Document.Reveal(ctx, nil); err != nil {
		return nil, err
	}
	if _, err := collect.AimNow(ctx, g.Document, g.Element.Handle, true); err != nil {
		return nil, err
	}
	l, err := t.Observer.Snapshot(ctx, collect.Options{})
	if err != nil {
		return nil, err
	}
	i, ok := l.ByID[id]
	if !ok {
		return nil, &surface.Fault{
			Kind: surface.FaultBlocked, Message: fmt.Sprintf("%s cannot be seen now.", g.Label()),
			Suggestion: "Call annotate_page.",
		}
	}
	return &l.Elements[i], nil
}

func capture(ctx context.Context, a *page.Action, full bool, crop *annotation.Element,
	l *observe.Snapshot,
) (screenshot.Capture, error) {
	f := screenshot.Capture{Width: l.Width}
	req := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng}
	large := crop != nil && (crop.Box.X < 0 || crop.Box.Y < 0 || crop.Box.X+crop.Box.Width > l.Width || crop.Box.Y+
		crop.Box.Height > l.Height)
	if full || large {
		m, err := proto.PageGetLayoutMetrics{}.Call(a.Client(ctx))
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
		clip.Width, clip.Height = math.Max(1, math.Min(clip.Width, maxScreenshotHeight)),
			math.Max(1, math.Min(clip.Height, maxScreenshotHeight))
		f.OffsetX, f.OffsetY, f.Width = view.PageX-clip.X, view.PageY-clip.Y, clip.Width
		req.CaptureBeyondViewport, req.Clip = true, &clip
	}
	res, err := req.Call(a.Client(ctx))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return f, cause
		}
		return f, fmt.Errorf("taking the picture: %w", err)
	}
	f.PNG = res.Data
	return f, nil
}
