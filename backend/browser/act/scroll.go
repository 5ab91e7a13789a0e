package act

import (
	"context"
	"fmt"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Scroll scrolls the page or the box of an element.
func Scroll(ctx context.Context, s *page.Session, o surface.ScrollOptions) (annotation.Observation, error) {
	switch o.Direction {
	case "up", "down", "left", "right", "top", "bottom":
	default:
		return annotation.Observation{}, &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown direction %q", o.Direction),
			Suggestion: "Send up, down, left, right, top or bottom.",
		}
	}
	scroll := func(ctx context.Context, a *page.Action, doc *cdp.Document, handle int, what string) error {
		moved, err := collect.ScrollBy(ctx, doc, handle, o.Direction, o.Amount)
		if err != nil {
			return err
		}
		a.SetOutcome("scrolled %s%s", what, o.Direction)
		if moved {
			return nil
		}
		a.Outcome = fmt.Sprintf("%sdid not move: it is at its end (%s)", what, o.Direction)
		if what == "" {
			a.Outcome = "the page did not move: it is at its end (" + o.Direction + ")"
		}
		return nil
	}
	if o.Target != 0 {
		return onElement(ctx, s, o.Target, func(ctx context.Context, a *page.Action, g *Target) error {
			if err := g.verify(ctx); err != nil {
				return err
			}
			if err := scroll(ctx, a, g.Document, g.Element.Handle, g.Label()+" "); err != nil ||
				a.Outcome == "scrolled "+g.Label()+" "+o.Direction {
				return err
			}
			x, y, err := g.aim(ctx, collect.AimOptions{})
			if err != nil {
				return nil // it neither scrolls nor can be reached by the mouse
			}
			return scrollWheel(ctx, a, x, y, o, "over "+g.Label())
		})
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		ctx, cancel := context.WithTimeoutCause(ctx, actionTimeout, observe.ErrUnresponsive)
		defer cancel()
		if err := scroll(ctx, a, a.Page.MainDocument(), 0, ""); err != nil || a.Outcome == "scrolled "+o.Direction {
			return err
		}
		t.Session.Manager.Lock()
		w, h := float64(t.Width), float64(t.Height)
		t.Session.Manager.Unlock()
		return scrollWheel(ctx, a, w/2, h/2, o, "in the middle of the page")
	})
}

// scrollWheel turns the mouse wheel where the script found nothing to scroll, because some pages scroll their content
// on wheel events.
func scrollWheel(ctx context.Context, a *page.Action, x, y float64, o surface.ScrollOptions, where string) error {
	amount := o.Amount
	if amount == 0 {
		amount = 400
	}
	dx, dy := 0.0, 0.0
	switch o.Direction {
	case "up":
		dy = -amount
	case "down":
		dy = amount
	case "left":
		dx = -amount
	case "right":
		dx = amount
	default:
		return nil
	}
	before, err := collect.ActivityOf(ctx, a.Page.MainDocument())
	if err != nil {
		return err
	}
	if err := input.TurnWheel(a.Client(ctx), x, y, dx, dy); err != nil {
		return err
	}
	if _, err := a.Page.MainDocument().Call(ctx, nextFrame); err != nil {
		return err
	}
	after, err := collect.ActivityOf(ctx, a.Page.MainDocument())
	if err != nil {
		return err
	}
	if after.Mutations != before.Mutations {
		a.Outcome = fmt.Sprintf("turned the mouse wheel %s %s", o.Direction, where)
	}
	return nil
}
