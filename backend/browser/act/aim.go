package act

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

const aimPatience = 2 * time.Second

const maxRedraws = 5

const actionTimeout = 10 * time.Second

// aim scrolls the element into view and returns a point of the page's viewport at which a press hits it.
func (t *Target) aim(ctx context.Context, o collect.AimOptions) (x, y float64, err error) {
	o.Scroll = true
	deadline := time.Now().Add(aimPatience)
	for {
		o.PatienceMS = int(max(0, time.Until(deadline).Milliseconds()))
		x, y, err = t.point(ctx, o)
		var f *surface.Fault
		// The element's document has waited already, but only the parent knows what covers the frame.
		if err == nil || t.Document.IsMain() || !errors.As(err, &f) || f.Kind != surface.FaultCovered ||
			time.Now().After(deadline) {
			return x, y, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
	}
}

func (t *Target) point(ctx context.Context, o collect.AimOptions) (x, y float64, err error) {
	p, err := t.askAim(ctx, o)
	for n := 0; err == nil && p.State == "gone" && n < maxRedraws; n++ {
		if err = t.rebind(ctx); err == nil {
			p, err = t.askAim(ctx, o)
		}
	}
	if errors.Is(err, cdp.ErrReplaced) {
		return 0, 0, goneFault(ctx, t.tab, t.Element.ID, "the page was replaced by a navigation")
	}
	if err != nil {
		return 0, 0, err
	}
	if !p.Ready() {
		return 0, 0, t.refusalFault(ctx, p)
	}
	if t.Document.IsMain() {
		return p.X, p.Y, nil
	}
	x, y, err = t.throughFrames(ctx, p)
	if err != nil && o.Guard != "" {
		// No press follows, so the guard must not stop a later one.
		_, _ = collect.EndPressGuard(ctx, t.Document)
	}
	return x, y, err
}

func (t *Target) askAim(ctx context.Context, o collect.AimOptions) (collect.PressPoint, error) {
	if err := t.Document.Reveal(ctx, nil); err != nil {
		return collect.PressPoint{}, err
	}
	if t.Document.IsMain() && !o.AcceptMoving {
		o.LastRect = t.tab.LastBox(t.Element.ID)
	}
	o.Expectation = observe.ExpectationOf(t.Element)
	return collect.Aim(ctx, t.Document, t.Element.Handle, o)
}

const nextFrame = `() => new Promise((done) => { setTimeout(done, 60); requestAnimationFrame(() => setTimeout(done)) })`

// throughFrames scrolls a point of a frame into view and returns it as a point of the page's viewport.
func (t *Target) throughFrames(ctx context.Context, p collect.PressPoint) (x, y float64, err error) {
	rect := &proto.DOMRect{X: max(0, p.X-10), Y: max(0, p.Y-10), Width: 20, Height: 20}
	if err := t.Document.Reveal(ctx, rect); err != nil {
		return 0, 0, err
	}
	// Frames in other processes scroll later: two equal measurements mean that scrolling has ended.
	for n := range 10 {
		at, err := t.Document.Placement(ctx)
		if err != nil {
			return 0, 0, err
		}
		nx, ny := at.ToPage(p.X, p.Y)
		if n > 0 && math.Abs(nx-x)+math.Abs(ny-y) < 0.5 {
			break
		}
		x, y = nx, ny
		if _, err := t.action.Page.MainDocument().Call(ctx, nextFrame); err != nil {
			return 0, 0, err
		}
	}
	for d := t.Document; ; {
		parent := d.Parent()
		if parent == nil {
			return x, y, nil
		}
		outer, err := parent.Placement(ctx)
		if err != nil {
			return 0, 0, err
		}
		ox, oy := outer.ToDocument(x, y)
		what, err := d.CoveredBy(ctx, ox, oy)
		if err != nil {
			return 0, 0, err
		}
		if what != "" {
			return 0, 0, &surface.Fault{
				Kind: surface.FaultCovered, Message: fmt.Sprintf("%s is covered by %s, which lies over its frame.",
					t.Label(), what),
				Suggestion: "Close what covers it first, or scroll.",
			}
		}
		d = parent
	}
}

func (t *Target) refusalFault(ctx context.Context, p collect.PressPoint) error {
	switch p.State {
	case "gone":
		return goneFault(ctx, t.tab, t.Element.ID, "it was removed from the page")
	case "reused":
		return t.reusedFault(ctx, p.Detail)
	}
	return observe.RefusalFault(t.tab.Session.Manager.Elements, t.Element, p)
}

func (t *Target) missedFault(what string) error {
	if what == "" {
		what = "something outside its frame"
	}
	return &surface.Fault{
		Kind: surface.FaultCovered,
		Message: fmt.Sprintf("The press meant for %s met %s: it came in the way at the last moment.", t.Label(),
			what),
		Suggestion: "Call annotate_page to see what happened before trying again.",
	}
}

// onElement does not check that the element still exists; do must aim or verify. It calls do again when the page has
// rendered the element again.
func onElement(ctx context.Context, s *page.Session, id int,
	do func(context.Context, *page.Action, *Target) error,
) (annotation.Observation, error) {
	return onElementWithin(ctx, s, actionTimeout, id, do)
}

func onElementWithin(ctx context.Context, s *page.Session, limit time.Duration, id int,
	do func(context.Context, *page.Action, *Target) error,
) (ans annotation.Observation, err error) {
	if _, err := s.Manager.Start(ctx); err != nil {
		return ans, err
	}
	t, f := s.TabOfElement(id)
	if f != nil {
		return ans, f
	}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, observe.ErrUnresponsive)
		defer cancel()
		if err := t.BringToFront(ctx); err != nil {
			return err
		}
		g, err := locateTarget(ctx, t, a, id)
		if err != nil {
			return err
		}
		a.Document, a.ActedOn = g.Document, id
		for n := 1; ; n++ {
			err := do(ctx, a, g)
			if !errors.Is(err, collect.ErrGone) {
				return err
			}
			// An action without an element did nothing.
			a.Acted = false
			if n == maxRedraws {
				return goneFault(ctx, t, id, "the page keeps rendering it again")
			}
			if err := g.rebind(ctx); err != nil {
				return err
			}
		}
	})
}
