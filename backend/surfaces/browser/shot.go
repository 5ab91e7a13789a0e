package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/surfaces/browser/collect"
)

// maxShot bounds a full page's picture, in CSS pixels of its height.
const maxShot = 16_000

var errNoPicture = errors.New("the page does not draw")

// Shot is a PNG of the active tab's viewport, of the whole page, or of one element.
// Annotated draws the numbers on the copy.
func (s *Session) Shot(ctx context.Context, o ShotOptions) ([]byte, error) {
	t, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if o.ID != 0 {
		of, f := s.tabOf(o.ID)
		if f != nil {
			return nil, f
		}
		t = of
	}
	release, err := t.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if f := t.fit(); f != nil {
		return nil, f
	}
	ctx, done := t.begin(ctx)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errNoPicture)
	defer cancel()
	shot, err := t.shoot(ctx, o)
	if errors.Is(err, errNoPicture) {
		return nil, &Fault{Kind: FaultTimeout, Message: "The page does not draw: no picture came within 20 s.", Suggestion: `Call navigate_page with action "reload".`}
	}
	if err != nil {
		return nil, t.mend(ctx, err)
	}
	return shot, nil
}

func (t *tab) shoot(ctx context.Context, o ShotOptions) ([]byte, error) {
	if err := t.front(ctx); err != nil {
		return nil, err
	}
	s := t.s.b
	s.mu.Lock()
	a := &action{t: t, page: t.page, watch: t.tracker.Begin(s.cfg.Limits)}
	s.mu.Unlock()
	defer a.watch.Close()
	var crop *element
	if o.ID != 0 {
		e, err := t.framed(ctx, a, o.ID)
		if err != nil {
			return nil, err
		}
		crop = e
	}
	if crop == nil {
		a.watch.Looks()
	}
	a.watch.Wait(ctx, a.rester())
	l, err := t.see(ctx, collect.Options{WholePage: o.FullPage})
	if err != nil {
		return nil, err
	}
	raw, dx, dy, err := a.capture(ctx, o.FullPage && crop == nil)
	if err != nil {
		return nil, err
	}
	if !o.Annotated && crop == nil {
		return raw, nil
	}
	return edit(raw, l, o.Annotated, crop, dx, dy)
}

// framed brings an element into view and gives back where it then stands.
func (t *tab) framed(ctx context.Context, a *action, id int) (*element, error) {
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
	l, err := t.see(ctx, collect.Options{})
	if err != nil {
		return nil, err
	}
	i, ok := l.byID[id]
	if !ok {
		return nil, &Fault{Kind: FaultBlocked, Message: fmt.Sprintf("%s cannot be seen now.", g.name()), Suggestion: "Call annotate_page."}
	}
	return &l.elements[i], nil
}

// capture takes the picture; dx, dy say where the viewport lies in it, in CSS pixels.
func (a *action) capture(ctx context.Context, full bool) (raw []byte, dx, dy float64, err error) {
	req := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng}
	if full {
		m, err := proto.PageGetLayoutMetrics{}.Call(a.client(ctx))
		if err != nil {
			return nil, 0, 0, fmt.Errorf("measuring the page: %w", err)
		}
		size, view := m.CSSContentSize, m.CSSVisualViewport
		if size == nil || view == nil {
			return nil, 0, 0, fmt.Errorf("measuring the page: it has no size")
		}
		dx, dy = view.PageX, view.PageY
		req.CaptureBeyondViewport = true
		req.Clip = &proto.PageViewport{Width: size.Width, Height: math.Min(size.Height, maxShot), Scale: 1}
	}
	res, err := req.Call(a.client(ctx))
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, 0, 0, cause
		}
		return nil, 0, 0, fmt.Errorf("taking the picture: %w", err)
	}
	return res.Data, dx, dy, nil
}

// edit draws numbers on the copy and cuts out an element. Boxes are in CSS pixels of the
// viewport, which lies at (dx, dy) of the picture.
func edit(raw []byte, l *look, annotated bool, crop *element, dx, dy float64) ([]byte, error) {
	src, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("reading the picture: %w", err)
	}
	canvas := image.NewRGBA(src.Bounds())
	draw.Draw(canvas, canvas.Bounds(), src, src.Bounds().Min, draw.Src)
	scale := 1.0
	if dx == 0 && dy == 0 && l.width > 0 && crop != nil {
		scale = float64(canvas.Bounds().Dx()) / l.width
	} else if l.width > 0 && canvas.Bounds().Dx() > int(l.width*1.4) {
		scale = math.Round(float64(canvas.Bounds().Dx()) / l.width)
	}
	if annotated {
		for _, e := range l.elements {
			mark(canvas, e, dx, dy, scale)
		}
	}
	var out image.Image = canvas
	if crop != nil {
		const margin = 8
		r := rectangle(crop.Box, dx, dy, scale).Inset(-margin).Intersect(canvas.Bounds())
		if r.Empty() {
			return nil, &Fault{Kind: FaultBlocked, Message: fmt.Sprintf("[%d] cannot be seen now.", crop.ID), Suggestion: "Call annotate_page."}
		}
		out = canvas.SubImage(r)
	}
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, out); err != nil {
		return nil, fmt.Errorf("writing the picture: %w", err)
	}
	return buf.Bytes(), nil
}
