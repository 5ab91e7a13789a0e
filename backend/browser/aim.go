package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
	"sextant/shared/event"

	"sextant/shared/annotator"
)

// patience is how long an element that cannot be pressed right now is waited for: it may be
// about to become enabled, or what covers it about to leave.
const patience = 2 * time.Second

// redraws bounds how often an element is looked for again that was drawn anew before it could
// be acted on.
const redraws = 5

// handLimit bounds how long a page may take to let itself be acted on.
const handLimit = 10 * time.Second

// aim brings the element into view, waits until it can be pressed, and returns the point of
// the page's viewport where pressing it hits it.
func (g *target) aim(ctx context.Context, o collect.Aim) (x, y float64, err error) {
	o.Scroll = true
	deadline := time.Now().Add(patience)
	for {
		o.Patience = int(max(0, time.Until(deadline).Milliseconds()))
		x, y, err = g.point(ctx, o)
		var f *surface.Fault
		// Its own document waited already; what lies over its frame is seen from outside only.
		if err == nil || g.doc.IsMain() || !errors.As(err, &f) || f.Kind != surface.FaultCovered || time.Now().After(deadline) {
			return x, y, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
	}
}

func (g *target) point(ctx context.Context, o collect.Aim) (x, y float64, err error) {
	p, err := g.aimed(ctx, o)
	for n := 0; err == nil && p.State == "gone" && n < redraws; n++ {
		if err = g.renew(ctx); err == nil {
			p, err = g.aimed(ctx, o)
		}
	}
	if errors.Is(err, cdp.ErrReplaced) {
		return 0, 0, g.t.gone(ctx, g.thing.ID, "the page was replaced by a navigation")
	}
	if err != nil {
		return 0, 0, err
	}
	if !p.Ready() {
		return 0, 0, g.refused(ctx, p)
	}
	if g.doc.IsMain() {
		return p.X, p.Y, nil
	}
	x, y, err = g.through(ctx, p)
	if err != nil && o.Arm != "" {
		// No press follows: a hand that comes later must not meet the guard.
		_, _ = collect.Hit(ctx, g.doc)
	}
	return x, y, err
}

// aimed asks the element's own document.
func (g *target) aimed(ctx context.Context, o collect.Aim) (collect.Point, error) {
	if err := g.doc.Reveal(ctx, nil); err != nil {
		return collect.Point{}, err
	}
	if g.doc.IsMain() && !o.Hurry {
		o.Was = g.t.seenAt(g.thing.ID)
	}
	o.Told = g.told()
	return collect.AimAt(ctx, g.doc, g.thing.Handle, o)
}

// seenAt is where the newest look saw the element, nil when it did not.
func (t *tab) seenAt(id int) *collect.Rect {
	l := t.newest()
	if l == nil {
		return nil
	}
	i, ok := l.byID[id]
	if !ok {
		return nil
	}
	b := l.elements[i].Box
	return &collect.Rect{X: b.X, Y: b.Y, W: b.Width, H: b.Height}
}

// nextFrame resolves when the page has drawn; a page that does not draw is not waited for.
const nextFrame = `() => new Promise((done) => { setTimeout(done, 60); requestAnimationFrame(() => setTimeout(done)) })`

// through brings a point of a frame into view and makes sure that nothing lies over the
// frames around it.
func (g *target) through(ctx context.Context, p collect.Point) (x, y float64, err error) {
	rect := &proto.DOMRect{X: max(0, p.X-10), Y: max(0, p.Y-10), Width: 20, Height: 20}
	if err := g.doc.Reveal(ctx, rect); err != nil {
		return 0, 0, err
	}
	// Scrolling reaches frames of other processes later: it is over when two looks agree.
	for n := range 10 {
		at, err := g.doc.Place(ctx)
		if err != nil {
			return 0, 0, err
		}
		nx, ny := at.At(p.X, p.Y)
		if n > 0 && math.Abs(nx-x)+math.Abs(ny-y) < 0.5 {
			break
		}
		x, y = nx, ny
		if _, err := g.a.page.Main().Call(ctx, nextFrame); err != nil {
			return 0, 0, err
		}
	}
	for d := g.doc; ; {
		parent := d.Parent()
		if parent == nil {
			return x, y, nil
		}
		outer, err := parent.Place(ctx)
		if err != nil {
			return 0, 0, err
		}
		ox, oy := outer.From(x, y)
		what, err := d.Over(ctx, ox, oy)
		if err != nil {
			return 0, 0, err
		}
		if what != "" {
			return 0, 0, &surface.Fault{
				Kind: surface.FaultCovered, Message: fmt.Sprintf("%s is covered by %s, which lies over its frame.", g.name(), what),
				Suggestion: "Close what covers it first, or scroll.",
			}
		}
		d = parent
	}
}

// refused turns the collector's reason into a fault.
func (g *target) refused(ctx context.Context, p collect.Point) error {
	detail := p.Detail
	switch p.State {
	case "gone":
		return g.t.gone(ctx, g.thing.ID, "it was removed from the page")
	case "reused":
		return g.reused(ctx, detail)
	case "changed":
		if p.RowMark != "" {
			return g.rowChanged(detail, p.RowMark)
		}
		return g.changed(detail, p.Mark)
	case "disabled":
		if detail == "" {
			detail = "the page does not take it now"
		}
		return &surface.Fault{
			Kind: surface.FaultDisabled, Message: fmt.Sprintf("%s is disabled: %s.", g.name(), detail),
			Suggestion: "Fill in what the page asks for first, then call annotate_page.",
		}
	case "covered":
		by := p.CoveredByText
		if id := g.t.s.b.elements.ID(g.doc.Seq, p.CoveredBy); id != 0 {
			by = fmt.Sprintf("[%d] %s", id, by)
		}
		f := &surface.Fault{
			Kind: surface.FaultCovered, Message: fmt.Sprintf("%s is covered by %s.", g.name(), by),
			Suggestion: "Close or move what covers it first, then try again.",
		}
		if p.Dismissible {
			f.Suggestion = `Close what covers it (its own button, or press_key "Escape"), then try again.`
		}
		return f
	}
	if detail == "" {
		detail = "it cannot be seen"
	}
	return &surface.Fault{
		Kind: surface.FaultBlocked, Message: fmt.Sprintf("%s cannot be pressed: %s.", g.name(), detail),
		Suggestion: "Call annotate_page to see what can be pressed now.",
	}
}

// missed is the fault for a press that met something else.
func (g *target) missed(what string) error {
	if what == "" {
		what = "something outside its frame"
	}
	return &surface.Fault{
		Kind: surface.FaultCovered, Message: fmt.Sprintf("The press meant for %s met %s: it came in the way at the last moment.", g.name(), what),
		Suggestion: "Call annotate_page to see what happened before trying again.",
	}
}

// pointer tells the window where the assistant's pointer goes, before it acts.
func (t *tab) pointer(x, y float64, press bool, id int) {
	if t.s.owner == "" {
		t.s.b.events.pointer(event.Pointer{Tab: t.id, X: x, Y: y, Press: press, Target: id})
	}
}

// on runs an action on the tab of an annotation, with its element; whether that lives shows when
// it is aimed at, or by sure.
func (s *Session) on(ctx context.Context, id int, do func(context.Context, *action, *target) error) (annotator.Answer, error) {
	return s.onWithin(ctx, handLimit, id, do)
}

// onWithin is on with a bound on how long the page may take to let it be done.
func (s *Session) onWithin(ctx context.Context, limit time.Duration, id int, do func(context.Context, *action, *target) error) (ans annotator.Answer, err error) {
	if _, err := s.b.start(ctx); err != nil {
		return ans, err
	}
	t, f := s.tabOf(id)
	if f != nil {
		return ans, f
	}
	return s.act(ctx, t, func(ctx context.Context, a *action) error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, errUnresponsive)
		defer cancel()
		if err := t.front(ctx); err != nil {
			return err
		}
		g, err := t.locate(ctx, a, id)
		if err != nil {
			return err
		}
		a.doc = g.doc
		for n := 1; ; n++ {
			err := do(ctx, a, g)
			if !errors.Is(err, collect.ErrGone) {
				return err
			}
			// What found no element did nothing.
			a.acted = false
			if n == redraws {
				return t.gone(ctx, id, "the page draws it anew all the time")
			}
			if err := g.renew(ctx); err != nil {
				return err
			}
		}
	})
}
