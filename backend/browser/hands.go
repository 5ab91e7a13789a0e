package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
	"sextant/shared/annotator"
)

// client runs requests on the page's own session.
func (a *action) client(ctx context.Context) proto.Client { return a.page.Client(ctx) }

// front makes the tab the visible one of its window. Without a window of its own to be
// hidden by, there is nothing to do.
func (t *tab) front(ctx context.Context) error {
	if t.s.b.cfg.Headless {
		return nil
	}
	t.s.b.Lock()
	p := t.page
	t.s.b.Unlock()
	if p == nil {
		return errBrowserEnded
	}
	if err := (proto.PageBringToFront{}).Call(p.Client(ctx)); err != nil {
		return fmt.Errorf("showing the tab: %w", err)
	}
	return nil
}

// Click presses the mouse on an element, after making sure that the press will meet it.
func (s *Session) Click(ctx context.Context, o surface.ClickOptions) (annotator.Answer, error) {
	press, verb, err := pressOf(o.Button, o.Count, o.Modifiers)
	if err != nil {
		return annotator.Answer{}, err
	}
	return s.on(ctx, o.ID, func(ctx context.Context, a *action, g *target) error {
		return g.click(ctx, a, press, verb)
	})
}

// pressOf checks how the mouse is to be pressed and finds the word for it.
func pressOf(button string, count int, modifiers []string) (press input.Press, verb string, err error) {
	mods, err := input.Modifiers(modifiers)
	if err != nil {
		return press, "", &surface.Fault{Kind: surface.FaultInvalid, Message: err.Error(), Suggestion: `Send modifiers such as ["Control"].`}
	}
	switch button {
	case "", "left", "middle", "right":
	default:
		return press, "", &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown button %q", button), Suggestion: "Send left, middle or right."}
	}
	if count < 0 || count > 3 {
		return press, "", &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("a click cannot count %d", count), Suggestion: "Send count 1, 2 or 3."}
	}
	verb = "clicked"
	switch {
	case button == "right" || button == "middle":
		verb = button + "-clicked"
	case count == 2:
		verb = "double-clicked"
	case count == 3:
		verb = "triple-clicked"
	}
	return input.Press{Button: button, Count: count, Modifiers: mods}, verb, nil
}

// tries bounds how often a press is aimed anew that was kept from the page, slips how often one
// that the page felt: it met the element, but its release did not.
const (
	tries = 5
	slips = 2
)

// click aims and presses. A press that would meet something else is stopped before the page
// feels it, and aimed anew.
func (g *target) click(ctx context.Context, a *action, press input.Press, verb string) error {
	slipped, again := 0, true
	for n := range tries {
		x, y, err := g.aim(ctx, collect.Aim{Arm: "click", Hurry: n > 0})
		if err != nil {
			return err
		}
		a.does("%s %s", verb, g.name())
		g.t.pointer(x, y, true, g.thing.ID)
		g.pressed = g.t.tracker.Now()
		if err := input.Click(ctx, a.page, x, y, press); err != nil {
			return err
		}
		met, err := g.met(ctx, collect.Hit)
		if met.Slipped {
			slipped++
			_, asked := g.t.tracker.Since(g.pressed)
			again = !asked && slipped <= slips
		}
		switch {
		case err != nil || met.Hit && !(met.Slipped && press.Left()):
			return err
		case !met.Seen:
			return g.missed("")
		case n < tries-1 && again:
		case met.Hit:
			addNoteTo(a, "The element moved away between press and release, so that the page saw no click.")
		default:
			return g.missed(met.Text)
		}
	}
	return nil
}

func addNoteTo(a *action, text string) { a.note = strings.TrimSpace(a.note + " " + text) }

// met tells what the guarded press met, by hit.
func (g *target) met(ctx context.Context, hit func(context.Context, collect.World) (collect.Met, error)) (collect.Met, error) {
	met, err := hit(ctx, g.doc)
	if errors.Is(err, cdp.ErrReplaced) || err == nil && !met.Seen && !g.doc.Alive() {
		return g.left(), nil
	}
	if err != nil || met.Seen || !g.doc.IsMain() {
		return met, err
	}
	// The page may keep presses from everybody else's eyes; then what lies there now counts.
	p, err := collect.PointOf(ctx, g.doc, g.thing.Handle, false)
	if errors.Is(err, cdp.ErrReplaced) {
		return g.left(), nil
	}
	met.Hit = err == nil && (p.Ready() || p.State == "gone")
	return met, err
}

// left is what a press met whose page was left. One that led there was met; of one that came when
// the page was leaving anyway nobody knows.
func (g *target) left() collect.Met {
	if led, _ := g.t.tracker.Since(g.pressed); !led {
		addNoteTo(g.a, fmt.Sprintf("The page was replaced at the same moment; whether the press met %s is not known.", g.name()))
	}
	return collect.Met{Seen: true, Hit: true}
}

// hover aims and moves the mouse there; if the page moves the element away because of that,
// it follows once.
func (g *target) hover(ctx context.Context, a *action, modifiers int) (x, y float64, err error) {
	if x, y, err = g.aim(ctx, collect.Aim{}); err != nil {
		return 0, 0, err
	}
	g.t.pointer(x, y, false, g.thing.ID)
	if err := input.Move(a.client(ctx), x, y, modifiers); err != nil {
		return 0, 0, err
	}
	nx, ny, err := g.point(ctx, collect.Aim{Hurry: true})
	if err != nil {
		return 0, 0, err
	}
	if nx != x || ny != y {
		x, y = nx, ny
		if err := input.Move(a.client(ctx), x, y, modifiers); err != nil {
			return 0, 0, err
		}
	}
	return x, y, nil
}

// Hover moves the mouse over an element.
func (s *Session) Hover(ctx context.Context, id int) (annotator.Answer, error) {
	return s.on(ctx, id, func(ctx context.Context, a *action, g *target) error {
		a.does("moved to %s", g.name())
		_, _, err := g.hover(ctx, a, 0)
		return err
	})
}

// blocked names the element in what the page refused.
func (g *target) blocked(err error) error {
	var refused *collect.Refusal
	if errors.As(err, &refused) {
		return &surface.Fault{
			Kind: surface.FaultBlocked, Message: fmt.Sprintf("%s: %s.", g.name(), refused.Message),
			Suggestion: "Call annotate_page to see what it takes.",
		}
	}
	return err
}

// Select chooses options of a native list by label or value.
func (s *Session) Select(ctx context.Context, id int, values []string) (annotator.Answer, error) {
	return s.on(ctx, id, func(ctx context.Context, a *action, g *target) error {
		x, y, err := g.aim(ctx, collect.Aim{})
		if err != nil {
			return err
		}
		g.t.pointer(x, y, true, g.thing.ID)
		a.does("chose %s in %s", quoted(values), g.name())
		now, err := collect.SelectOptions(ctx, g.doc, g.thing.Handle, values)
		if err != nil {
			return g.blocked(err)
		}
		a.outcome = fmt.Sprintf("chose %s in %s", quoted(now), g.name())
		return nil
	})
}

func quoted(values []string) string {
	if len(values) == 0 {
		return "nothing"
	}
	q := make([]string, len(values))
	for i, v := range values {
		q[i] = fmt.Sprintf("%q", surface.Clip(v, 60))
	}
	return strings.Join(q, ", ")
}

// Press presses a key in the active tab, or answers its open dialog (Enter, Escape).
func (s *Session) Press(ctx context.Context, key string) (annotator.Answer, error) {
	if err := input.Check(key); err != nil {
		return annotator.Answer{}, &surface.Fault{Kind: surface.FaultInvalid, Message: err.Error(), Suggestion: `Send a key such as "Enter" or "Control+a".`}
	}
	t, err := s.current(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	if t.open() != nil {
		return s.answerDialog(ctx, t, key)
	}
	return s.act(ctx, t, func(ctx context.Context, a *action) error {
		ctx, cancel := context.WithTimeoutCause(ctx, handLimit, errUnresponsive)
		defer cancel()
		if err := t.front(ctx); err != nil {
			return err
		}
		a.does("pressed %s", key)
		return input.Key(a.client(ctx), key)
	})
}

// Scroll scrolls the page or the box of an element.
func (s *Session) Scroll(ctx context.Context, o surface.ScrollOptions) (annotator.Answer, error) {
	switch o.Direction {
	case "up", "down", "left", "right", "top", "bottom":
	default:
		return annotator.Answer{}, &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown direction %q", o.Direction),
			Suggestion: "Send up, down, left, right, top or bottom.",
		}
	}
	scroll := func(ctx context.Context, a *action, doc *cdp.Document, handle int, what string) error {
		moved, err := collect.ScrollBy(ctx, doc, handle, o.Direction, o.Amount)
		if err != nil {
			return err
		}
		a.does("scrolled %s%s", what, o.Direction)
		if moved {
			return nil
		}
		a.outcome = fmt.Sprintf("%sdid not move: it is at its end (%s)", what, o.Direction)
		if what == "" {
			a.outcome = "the page did not move: it is at its end (" + o.Direction + ")"
		}
		return nil
	}
	if o.Target != 0 {
		return s.on(ctx, o.Target, func(ctx context.Context, a *action, g *target) error {
			if err := g.sure(ctx); err != nil {
				return err
			}
			if err := scroll(ctx, a, g.doc, g.thing.Handle, g.name()+" "); err != nil || a.outcome == "scrolled "+g.name()+" "+o.Direction {
				return err
			}
			x, y, err := g.aim(ctx, collect.Aim{})
			if err != nil {
				return nil // it scrolls nowhere and cannot be reached either
			}
			return a.wheel(ctx, x, y, o, "over "+g.name())
		})
	}
	t, err := s.current(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	return s.act(ctx, t, func(ctx context.Context, a *action) error {
		ctx, cancel := context.WithTimeoutCause(ctx, handLimit, errUnresponsive)
		defer cancel()
		if err := scroll(ctx, a, a.page.Main(), 0, ""); err != nil || a.outcome == "scrolled "+o.Direction {
			return err
		}
		t.s.b.Lock()
		w, h := float64(t.width), float64(t.height)
		t.s.b.Unlock()
		return a.wheel(ctx, w/2, h/2, o, "in the middle of the page")
	})
}

// wheel turns the mouse wheel where a script found nothing that scrolls: pages that move
// themselves when it is turned. What comes of it decides what is said.
func (a *action) wheel(ctx context.Context, x, y float64, o surface.ScrollOptions, where string) error {
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
	before, err := collect.RestOf(ctx, a.page.Main())
	if err != nil {
		return err
	}
	if err := input.Wheel(a.client(ctx), x, y, dx, dy); err != nil {
		return err
	}
	if _, err := a.page.Main().Call(ctx, nextFrame); err != nil {
		return err
	}
	after, err := collect.RestOf(ctx, a.page.Main())
	if err != nil {
		return err
	}
	if after.Mutations != before.Mutations {
		a.outcome = fmt.Sprintf("turned the mouse wheel %s %s", o.Direction, where)
	}
	return nil
}
