package act

import (
	"context"
	"fmt"
	"math"
	"time"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// ClickAtOptions says where to click, in CSS pixels of the page's viewport, and how, as in surface.ClickOptions.
type ClickAtOptions struct {
	X, Y      float64
	Button    string
	Count     int
	Modifiers []string
}

const maxMoves = 400

func checkInView(ctx context.Context, a *page.Action, x, y float64) error {
	raw, err := a.Page.MainDocument().Call(ctx, "function () { return [innerWidth, innerHeight] }")
	if err != nil {
		return err
	}
	size, err := cdp.Decode[[2]float64](raw)
	if err != nil {
		return err
	}
	if x >= 0 && y >= 0 && x < size[0] && y < size[1] {
		return nil
	}
	return &surface.Fault{
		Kind: surface.FaultInvalid, Message: fmt.Sprintf("The point (%g, %g) is not in view: the page shows %g × %g.",
			x, y, size[0], size[1]),
		Suggestion: "Scroll first, then send a point of what is in view.",
	}
}

func describePoint(ctx context.Context, a *page.Action, x, y float64) (string, error) {
	doc := a.Page.MainDocument()
	for range observe.MaxDepth {
		u, err := collect.HitTestAt(ctx, doc, x, y)
		if err != nil {
			return "", err
		}
		if u.Frame != 0 {
			inner, err := doc.Child(ctx, u.Frame, collect.NodeExpression(u.Frame))
			if err != nil {
				return "", err
			}
			if inner != nil {
				doc, x, y = inner, u.X, u.Y
				continue
			}
		}
		for _, h := range u.Handles {
			if id := a.Tab.Session.Manager.Elements.ID(doc.Seq, h); id != 0 {
				if element, ok := a.Tab.Session.Manager.Elements.Element(id); ok {
					return element.Label(), nil
				}
			}
		}
		if u.Text == "" {
			return "an empty place", nil
		}
		return u.Text, nil
	}
	return "a frame", nil
}

// ClickAt presses the mouse at a point; the outcome names the element there.
func ClickAt(ctx context.Context, s *page.Session, o ClickAtOptions) (annotation.Observation, error) {
	press, verb, err := parsePress(o.Button, o.Count, o.Modifiers)
	if err != nil {
		return annotation.Observation{}, err
	}
	return onTab(ctx, s, nil, func(ctx context.Context, a *page.Action) error {
		if err := checkInView(ctx, a, o.X, o.Y); err != nil {
			return err
		}
		c := a.Client(ctx)
		a.Tab.ShowPointer(o.X, o.Y, false, 0)
		if err := input.Move(c, o.X, o.Y, press.Modifiers); err != nil {
			return err
		}
		what, err := describePoint(ctx, a, o.X, o.Y)
		if err != nil {
			return err
		}
		a.SetOutcome("%s at (%.0f, %.0f) on %s", verb, o.X, o.Y, what)
		a.Tab.ShowPointer(o.X, o.Y, true, 0)
		return input.Click(ctx, a.Page, o.X, o.Y, press)
	})
}

// MovePath moves the mouse along points of the page's viewport. When press is true, the left button is held from the
// first point to the last.
func MovePath(ctx context.Context, s *page.Session, points []Point, press bool) (annotation.Observation, error) {
	if len(points) == 0 {
		return annotation.Observation{}, &surface.Fault{
			Kind: surface.FaultInvalid, Message: "A path needs points.",
			Suggestion: `Send points such as [{"x":10,"y":20},{"x":80,"y":20}].`,
		}
	}
	moves := interpolate(points)
	return onTab(ctx, s, nil, func(ctx context.Context, a *page.Action) (err error) {
		ctx, cancel := context.WithTimeoutCause(ctx, actionTimeout+time.Duration(len(moves))*50*time.Millisecond,
			observe.ErrUnresponsive)
		defer cancel()
		for _, p := range points {
			if err := checkInView(ctx, a, p.X, p.Y); err != nil {
				return err
			}
		}
		c := a.Client(ctx)
		first, last := points[0], points[len(points)-1]
		verb := "moved"
		if press {
			verb = "drew"
		}
		a.Tab.ShowPointer(first.X, first.Y, press, 0)
		if err := input.Move(c, first.X, first.Y, 0); err != nil {
			return err
		}
		what, err := describePoint(ctx, a, first.X, first.Y)
		if err != nil {
			return err
		}
		a.SetOutcome("%s along %d points from (%.0f, %.0f) to (%.0f, %.0f), beginning on %s",
			verb, len(points), first.X, first.Y, last.X, last.Y, what)
		if press {
			if err := input.PressMouse(c, first.X, first.Y, input.MousePress{}); err != nil {
				return err
			}
			defer func() {
				if err != nil {
					(&drag{a: a, x: last.X, y: last.Y}).cancel()
				}
			}()
		}
		for _, p := range moves {
			a.Tab.ShowPointer(p.X, p.Y, press, 0)
			if press {
				err = input.MoveHeld(c, p.X, p.Y, 0)
			} else {
				err = input.Move(c, p.X, p.Y, 0)
			}
			if err != nil {
				return err
			}
		}
		if !press {
			return nil
		}
		return input.ReleaseMouse(c, last.X, last.Y, input.MousePress{})
	})
}

func interpolate(points []Point) []Point {
	length := 0.0
	for i := 1; i < len(points); i++ {
		length += math.Hypot(points[i].X-points[i-1].X, points[i].Y-points[i-1].Y)
	}
	gap := max(10, length/maxMoves)
	var moves []Point
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		n := max(1, int(math.Ceil(math.Hypot(b.X-a.X, b.Y-a.Y)/gap)))
		for k := 1; k <= n; k++ {
			f := float64(k) / float64(n)
			moves = append(moves, Point{X: a.X + (b.X-a.X)*f, Y: a.Y + (b.Y-a.Y)*f})
		}
	}
	return moves
}
