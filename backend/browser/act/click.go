// Package act acts on a tab: it clicks, types, drags, scrolls, uploads files, answers dialogs, opens addresses and runs
// scripts. A press on an element is aimed first, and a guard in the page stops it when it would reach another element.
// Presses at points are not guarded.
package act

import (
	"context"
	"errors"
	"fmt"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Click presses the mouse on an element, after checking that the press will hit it.
func Click(ctx context.Context, s *page.Session, o surface.ClickOptions) (annotation.Observation, error) {
	press, verb, err := parsePress(o.Button, o.Count, o.Modifiers)
	if err != nil {
		return annotation.Observation{}, err
	}
	return onElement(ctx, s, o.ID, func(ctx context.Context, a *page.Action, g *Target) error {
		return g.click(ctx, a, press, verb)
	})
}

func parsePress(button string, count int, modifiers []string) (press input.MousePress, verb string, err error) {
	mods, err := input.ParseModifiers(modifiers)
	if err != nil {
		return press, "", &surface.Fault{
			Kind: surface.FaultInvalid, Message: err.Error(),
			Suggestion: `Send modifiers such as ["Control"].`,
		}
	}
	switch button {
	case "", "left", "middle", "right":
	default:
		return press, "", &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown button %q", button),
			Suggestion: "Send left, middle or right.",
		}
	}
	if count < 0 || count > 3 {
		return press, "", &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: fmt.Sprintf("a click cannot count %d", count), Suggestion: "Send count 1, 2 or 3.",
		}
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
	return input.MousePress{Button: button, Count: count, Modifiers: mods}, verb, nil
}

const (
	maxClickTries = 5
	// maxSlips bounds the repetitions after a press that hit the element although its release did not.
	maxSlips = 2
)

func (t *Target) click(ctx context.Context, a *page.Action, press input.MousePress, verb string) error {
	releasesMissed, again := 0, true
	for n := range maxClickTries {
		x, y, err := t.aim(ctx, collect.AimOptions{Guard: "click", AcceptMoving: n > 0})
		if err != nil {
			return err
		}
		a.SetOutcome("%s %s", verb, t.Label())
		t.tab.ShowPointer(x, y, true, t.Element.ID)
		t.pressed = t.tab.Tracker.Moment()
		if err := input.Click(ctx, a.Page, x, y, press); err != nil {
			return err
		}
		result, err := t.pressResult(ctx, collect.EndPressGuard)
		if result.ReleaseMissed {
			releasesMissed++
			_, asked := t.tab.Tracker.NavigatedSince(t.pressed)
			again = !asked && !result.Changed && releasesMissed <= maxSlips
		}
		switch {
		case err != nil || result.Hit && !(result.ReleaseMissed && press.IsLeft()):
			return err
		case !result.Seen:
			return t.missedFault("")
		case n < maxClickTries-1 && again:
		case result.Hit && result.Changed:
			page.AddActionNote(a, "The page changed during the press, and its release reached another element, so "+
				"that no click followed.")
			return nil
		case result.Hit:
			page.AddActionNote(a, "The element moved away between press and release, so that the page saw no click.")
		default:
			return t.missedFault(result.Text)
		}
	}
	return nil
}

// pressResult returns what the guarded press hit. hit is EndPressGuard or ReadPressGuard.
func (t *Target) pressResult(ctx context.Context,
	hit func(context.Context, collect.World) (collect.PressResult, error),
) (collect.PressResult, error) {
	result, err := hit(ctx, t.Document)
	if errors.Is(err, cdp.ErrReplaced) || err == nil && !result.Seen && !t.Document.IsCurrent() {
		return t.navigatedResult(), nil
	}
	if err != nil || result.Seen || !t.Document.IsMain() {
		return result, err
	}
	// The page may stop the propagation of presses. In that case, the element now at the point counts.
	p, err := collect.AimNow(ctx, t.Document, t.Element.Handle, false)
	if errors.Is(err, cdp.ErrReplaced) {
		return t.navigatedResult(), nil
	}
	result.Hit = err == nil && (p.Ready() || p.State == "gone")
	return result, err
}

// navigatedResult is for a press during which the page navigated: a hit, with a note unless the press caused the
// navigation.
func (t *Target) navigatedResult() collect.PressResult {
	if caused, _ := t.tab.Tracker.NavigatedSince(t.pressed); !caused {
		page.AddActionNote(t.action,
			fmt.Sprintf("The page was replaced at the same moment; whether the press met %s is not known.", t.Label()))
	}
	return collect.PressResult{Seen: true, Hit: true}
}

// hover follows the element once if the page moves it away from the pointer.
func (t *Target) hover(ctx context.Context, a *page.Action, modifiers int) (x, y float64, err error) {
	if x, y, err = t.aim(ctx, collect.AimOptions{}); err != nil {
		return 0, 0, err
	}
	t.tab.ShowPointer(x, y, false, t.Element.ID)
	if err := input.Move(a.Client(ctx), x, y, modifiers); err != nil {
		return 0, 0, err
	}
	nx, ny, err := t.point(ctx, collect.AimOptions{AcceptMoving: true})
	if err != nil {
		return 0, 0, err
	}
	if nx != x || ny != y {
		x, y = nx, ny
		if err := input.Move(a.Client(ctx), x, y, modifiers); err != nil {
			return 0, 0, err
		}
	}
	return x, y, nil
}

// Hover moves the mouse over an element.
func Hover(ctx context.Context, s *page.Session, id int) (annotation.Observation, error) {
	return onElement(ctx, s, id, func(ctx context.Context, a *page.Action, g *Target) error {
		a.SetOutcome("moved to %s", g.Label())
		_, _, err := g.hover(ctx, a, 0)
		return err
	})
}

func (t *Target) blockedFault(err error) error {
	var refused *collect.Refusal
	if errors.As(err, &refused) {
		return &surface.Fault{
			Kind: surface.FaultBlocked, Message: fmt.Sprintf("%s: %s.", t.Label(), refused.Message),
			Suggestion: "Call annotate_page to see what it takes.",
		}
	}
	return err
}
