package act

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Point is the element ID or, when ID is 0, the point (X, Y) of the page's viewport in CSS pixels.
type Point struct {
	ID   int
	X, Y float64
}

// DragOptions says what to drag. Set either To or By, which is an offset from From in CSS pixels.
type DragOptions struct {
	From Point
	To   *Point
	By   *Point
}

type drag struct {
	a      *page.Action
	o      DragOptions
	from   *Target
	to     *Target
	source *cdp.Document
	x, y   float64
	// native is set once the press has started a native drag-and-drop.
	native      *proto.InputDragData
	intercepted <-chan *proto.InputDragData
}

// Drag presses on From, moves in small steps and releases on To, or at the offset By.
func Drag(ctx context.Context, s *page.Session, o DragOptions) (annotation.Observation, error) {
	if (o.To == nil) == (o.By == nil) {
		return annotation.Observation{}, &surface.Fault{
			Kind:       surface.FaultInvalid,
			Message:    "A drag needs one of to and by.",
			Suggestion: `Send to as an id or {"x":10,"y":20}, or by as an offset.`,
		}
	}
	ids := []int{o.From.ID}
	if o.To != nil {
		ids = append(ids, o.To.ID)
	}
	return onTab(ctx, s, ids, func(ctx context.Context, a *page.Action) error {
		d := &drag{a: a, o: o, source: a.Page.MainDocument()}
		return d.run(ctx)
	})
}

// onTab runs an action on the tab that all elements in ids belong to, or on the active tab when there are none.
func onTab(ctx context.Context, s *page.Session, ids []int,
	do func(context.Context, *page.Action) error,
) (annotation.Observation, error) {
	if _, err := s.Manager.Start(ctx); err != nil {
		return annotation.Observation{}, err
	}
	var t *page.Tab
	for _, id := range ids {
		if id == 0 {
			continue
		}
		other, f := s.TabOfElement(id)
		switch {
		case f != nil:
			return annotation.Observation{}, f
		case t != nil && other != t:
			return annotation.Observation{}, &surface.Fault{
				Kind:    surface.FaultInvalid,
				Message: fmt.Sprintf("[%d] is in another tab.", id), Suggestion: "Name elements of one tab.",
			}
		}
		t = other
	}
	if t == nil {
		var err error
		if t, err = s.ActiveTab(ctx); err != nil {
			return annotation.Observation{}, err
		}
	}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		ctx, cancel := context.WithTimeoutCause(ctx, actionTimeout, observe.ErrUnresponsive)
		defer cancel()
		if err := t.BringToFront(ctx); err != nil {
			return err
		}
		return do(ctx, a)
	})
}

func (d *drag) run(ctx context.Context) (err error) {
	t := d.a.Tab
	if d.o.From.ID != 0 {
		if d.from, err = FindTarget(ctx, t, d.a, d.o.From.ID); err != nil {
			return err
		}
		d.source = d.from.Document
	}
	if d.o.To != nil && d.o.To.ID != 0 {
		if d.to, err = FindTarget(ctx, t, d.a, d.o.To.ID); err != nil {
			return err
		}
		// The source is scrolled into view last: when both ends fit, both are then visible.
		if _, err := d.to.dropPoint(ctx, true); err != nil {
			return err
		}
	}
	stop, err := d.intercept(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := d.press(ctx); err != nil {
		return err
	}
	err = d.move(ctx)
	if err != nil {
		d.cancel()
		return err
	}
	return d.release(ctx)
}

func (d *drag) sentence() string {
	what := fmt.Sprintf("from (%.0f, %.0f)", d.x, d.y)
	if d.from != nil {
		what = d.from.Label()
	}
	switch {
	case d.to != nil:
		return "dragged " + what + " to " + d.to.Label()
	case d.o.To != nil:
		return fmt.Sprintf("dragged %s to (%.0f, %.0f)", what, d.o.To.X, d.o.To.Y)
	}
	return fmt.Sprintf("dragged %s by (%.0f, %.0f)", what, d.o.By.X, d.o.By.Y)
}

func (d *drag) press(ctx context.Context) (err error) {
	c := d.a.Client(ctx)
	if d.from == nil {
		d.x, d.y = d.o.From.X, d.o.From.Y
		if err := checkInView(ctx, d.a, d.x, d.y); err != nil {
			return err
		}
		if err := input.Move(c, d.x, d.y, 0); err != nil {
			return err
		}
	} else {
		if d.x, d.y, err = d.from.hover(ctx, d.a, 0); err != nil {
			return err
		}
		if err := collect.GuardPress(ctx, d.source, d.from.Element.Handle, "press"); err != nil {
			return err
		}
	}
	if err := collect.WatchDrag(ctx, d.source); err != nil {
		return err
	}
	d.a.SetOutcome("%s", d.sentence())
	d.a.Tab.ShowPointer(d.x, d.y, true, d.o.From.ID)
	if d.from != nil {
		d.from.pressed = d.a.Tab.Tracker.Moment()
	}
	if err := input.PressMouse(c, d.x, d.y, input.MousePress{}); err != nil {
		return err
	}
	if d.from == nil {
		return nil
	}
	result, err := d.from.pressResult(ctx, collect.ReadPressGuard)
	if err != nil || !result.Hit {
		d.releaseMissed(ctx, result.Seen)
		if err != nil {
			return err
		}
		return d.from.missedFault(result.Text)
	}
	return nil
}

// releaseMissed releases a press that missed the source without causing a click: under the guard if that saw the
// press, otherwise outside of the page.
func (d *drag) releaseMissed(ctx context.Context, guarded bool) {
	if !guarded {
		d.x, d.y = -10, -10
		_ = input.MoveHeld(d.a.Client(ctx), d.x, d.y, 0)
		d.cancel()
		return
	}
	if err := input.ReleaseMouse(d.a.Client(ctx), d.x, d.y, input.MousePress{}); err != nil {
		d.cancel()
	}
	_, _ = collect.EndPressGuard(ctx, d.source)
}

// goal returns the current end point of the drag, and how far past it the pointer moves, which sortable lists need.
func (d *drag) goal(ctx context.Context) (x, y, past float64, err error) {
	switch {
	case d.to != nil:
		at, err := d.to.dropPoint(ctx, false)
		if err != nil {
			return 0, 0, 0, err
		}
		return at.X, at.Y, min(8, 0.2*min(at.W, at.H)), nil
	case d.o.To != nil:
		return d.o.To.X, d.o.To.Y, 0, nil
	}
	return d.x + d.o.By.X, d.y + d.o.By.Y, 0, nil
}

func (d *drag) move(ctx context.Context) error {
	x, y, _, err := d.goal(ctx)
	if err != nil {
		return err
	}
	px, py := d.x, d.y
	distance := math.Hypot(x-px, y-py)
	// The first small steps make the page start a drag, which may change the layout, so the goal is measured again.
	for _, offset := range []float64{2, 4, 7} {
		if offset >= distance {
			break
		}
		px, py = d.x+(x-d.x)*offset/distance, d.y+(y-d.y)*offset/distance
		if err := d.step(ctx, px, py); err != nil {
			return err
		}
	}
	x, y, past, err := d.goal(ctx)
	if err != nil {
		return err
	}
	ux, uy, err := d.direction(ctx, x-px, y-py)
	if err != nil {
		return err
	}
	// The last steps cross the middle of the target from the side that the item comes from.
	if err := d.moveStraight(ctx, px, py, x-ux*past, y-uy*past); err != nil {
		return err
	}
	if past > 0 {
		for _, offset := range []float64{0, past / 2, past} {
			if err := d.step(ctx, x+ux*offset, y+uy*offset); err != nil {
				return err
			}
		}
		x, y = x+ux*past, y+uy*past
	}
	d.x, d.y = x, y
	if err := collect.AwaitPointerSeen(ctx, d.source); err != nil && !errors.Is(err, cdp.ErrReplaced) {
		return err
	}
	return d.step(ctx, x, y)
}

// direction returns the direction of the last steps: the unit vector along (dx, dy) or, between entries of one list,
// 1 or -1 on both axes, because the list may run along either.
func (d *drag) direction(ctx context.Context, dx, dy float64) (ux, uy float64, err error) {
	if d.from != nil && d.to != nil && d.from.Document == d.to.Document {
		order, err := collect.ListOrder(ctx, d.source, d.from.Element.Handle, d.to.Element.Handle)
		if err != nil {
			return 0, 0, err
		}
		if order != 0 {
			return -float64(order), -float64(order), nil
		}
	}
	if distance := math.Hypot(dx, dy); distance > 0 {
		return dx / distance, dy / distance, nil
	}
	return 0, 0, nil
}

func (d *drag) moveStraight(ctx context.Context, px, py, x, y float64) error {
	steps := int(min(max(math.Hypot(x-px, y-py)/20, 4), 24))
	for i := 1; i <= steps; i++ {
		f := float64(i) / float64(steps)
		if err := d.step(ctx, px+(x-px)*f, py+(y-py)*f); err != nil {
			return err
		}
	}
	return nil
}

func (d *drag) step(ctx context.Context, x, y float64) error {
	c := d.a.Client(ctx)
	d.a.Tab.ShowPointer(x, y, true, d.o.From.ID)
	if d.native != nil {
		return dragEvent(c, proto.InputDispatchDragEventTypeDragOver, x, y, d.native)
	}
	if err := input.MoveHeld(c, x, y, 0); err != nil {
		return err
	}
	now, err := collect.DragStateOf(ctx, d.source)
	if err != nil || !now.Started {
		if errors.Is(err, cdp.ErrReplaced) {
			return nil
		}
		return err
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case d.native = <-d.intercepted:
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := dragEvent(c, proto.InputDispatchDragEventTypeDragEnter, x, y, d.native); err != nil {
		return err
	}
	return dragEvent(c, proto.InputDispatchDragEventTypeDragOver, x, y, d.native)
}

func (d *drag) release(ctx context.Context) error {
	c := d.a.Client(ctx)
	if d.native == nil {
		err := input.ReleaseMouse(c, d.x, d.y, input.MousePress{})
		_, _ = collect.EndDrag(ctx, d.source)
		return err
	}
	taken := d.source
	if d.to != nil && d.to.Document != d.source {
		taken = d.to.Document
		if err := collect.WatchDrag(ctx, taken); err != nil {
			return err
		}
	}
	if err := dragEvent(c, proto.InputDispatchDragEventTypeDrop, d.x, d.y, d.native); err != nil {
		return err
	}
	now, err := collect.EndDrag(ctx, taken)
	if err == nil && taken != d.source {
		_, _ = collect.EndDrag(ctx, d.source)
	}
	if err == nil && !now.Dropped && (d.to != nil || taken == d.source) {
		d.a.Note = "What lies there did not take the drop."
	}
	return nil
}

func (d *drag) cancel() {
	if d.native != nil {
		d.a.Page.Post(d.a.Page.SessionID, proto.InputDispatchDragEvent{
			Type: proto.InputDispatchDragEventTypeDragCancel, Data: d.native,
		})
	}
	d.a.Page.Post(d.a.Page.SessionID, proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMouseReleased, X: d.x, Y: d.y,
		Button: proto.InputMouseButtonLeft, ClickCount: 1,
	})
}

// dropPoint returns a point of the page's viewport; first is true before the drag.
func (t *Target) dropPoint(ctx context.Context, first bool) (collect.DropPoint, error) {
	if err := t.Document.Reveal(ctx, nil); err != nil {
		return collect.DropPoint{}, err
	}
	at, err := collect.DropPointOf(ctx, t.Document, t.Element.Handle, first)
	if err != nil {
		return at, err
	}
	if at.State != "ok" {
		return at, t.refusalFault(ctx, collect.PressPoint{State: at.State})
	}
	if t.Document.IsMain() {
		return at, nil
	}
	at.X, at.Y, err = t.throughFrames(ctx, collect.PressPoint{X: at.X, Y: at.Y})
	return at, err
}

func dragEvent(c proto.Client, kind proto.InputDispatchDragEventType, x, y float64, data *proto.InputDragData) error {
	if err := (proto.InputDispatchDragEvent{Type: kind, X: x, Y: y, Data: data}).Call(c); err != nil {
		return fmt.Errorf("dragging: %w", err)
	}
	return nil
}

// intercept makes the browser report a drag-and-drop instead of passing it to the desktop, until stop is called.
func (d *drag) intercept(ctx context.Context) (stop func(), err error) {
	came := make(chan *proto.InputDragData, 1)
	d.intercepted = came
	d.a.Tab.WithLock(func() { d.a.Tab.Drags = came })
	stop = func() {
		d.a.Tab.WithLock(func() { d.a.Tab.Drags = nil })
		d.a.Page.Post(d.a.Page.SessionID, proto.InputSetInterceptDrags{Enabled: false})
	}
	if err := (proto.InputSetInterceptDrags{Enabled: true}).Call(d.a.Client(ctx)); err != nil {
		stop()
		return nil, fmt.Errorf("preparing a drag: %w", err)
	}
	return stop, nil
}
