package panelpage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

func asRefusal(err error) (*collect.Refusal, bool) {
	var r *collect.Refusal
	return r, errors.As(err, &r)
}

// Annotate implements surface.Surface. With a query, it searches the whole page and ignores Scope and ChangesOnly.
func (p *Page) Annotate(ctx context.Context, o surface.AnnotateOptions) (annotation.Observation, error) {
	if o.Scope != "" && o.Scope != "viewport" && o.Scope != "page" {
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: fmt.Sprintf("unknown scope %q", o.Scope), Suggestion: "Send viewport or page.",
		}
	}
	ans, err := p.act(ctx, func(_ context.Context, a *action) error {
		// The page of a panel is small enough to search all of it.
		a.wholePage, a.full = o.Scope == "page" || o.Query != "", !o.ChangesOnly || o.Query != ""
		return nil
	})
	if err != nil || o.Query == "" {
		return ans, err
	}
	all := ans.Elements
	found, partial := annotation.Match(all, o.Query)
	ans.Elements = found
	switch {
	case len(found) == 0:
		ans.Elements = []annotation.Element{}
		add(&ans, fmt.Sprintf("Nothing on the page matches %q. There is: %s.", surface.Truncate(o.Query, 60),
			annotation.Inventory(all)))
	case partial:
		add(&ans, fmt.Sprintf("Nothing matches all of %q; these match some of its words.",
			surface.Truncate(o.Query, 60)))
	}
	return ans, nil
}

// Click implements surface.Surface.
func (p *Page) Click(ctx context.Context, o surface.ClickOptions) (annotation.Observation, error) {
	verb := "clicked"
	switch {
	case o.Button == "right" || o.Button == "middle":
		verb = o.Button + "-clicked"
	case o.Count == 2:
		verb = "double-clicked"
	case o.Count == 3:
		verb = "triple-clicked"
	}
	return p.on(ctx, o.ID, func(ctx context.Context, a *action, g *target) error {
		at, err := g.aim(ctx)
		if err != nil {
			return err
		}
		a.outcome = verb + " " + g.element.Label()
		return collect.Press(ctx, g.w, g.element.Handle,
			collect.PressOptions{X: at.X, Y: at.Y, Button: o.Button, Count: min(o.Count, 3), Modifiers: o.Modifiers})
	})
}

// Hover implements surface.Surface.
func (p *Page) Hover(ctx context.Context, id int) (annotation.Observation, error) {
	return p.on(ctx, id, func(ctx context.Context, a *action, g *target) error {
		at, err := g.aim(ctx)
		if err != nil {
			return err
		}
		a.outcome = "moved to " + g.element.Label()
		return collect.Hover(ctx, g.w, g.element.Handle, collect.PressOptions{X: at.X, Y: at.Y})
	})
}

// Type puts the whole text into an element at once, so it ignores o.Human. Results and pictures hide the text if
// o.SecretFor is not "".
func (p *Page) Type(ctx context.Context, o surface.TypeOptions) (annotation.Observation, error) {
	return p.on(ctx, o.ID, func(ctx context.Context, a *action, g *target) error {
		if _, err := g.aim(ctx); err != nil {
			return err
		}
		a.outcome = fmt.Sprintf("typed %q into %s", surface.Truncate(o.Text, 60), g.element.Label())
		hidden := g.element.Secret || o.SecretFor != ""
		if hidden {
			a.outcome = "typed the text into " + g.element.Label()
			p.coverSecret(o.Text)
		}
		now, err := collect.SetText(ctx, g.w, g.element.Handle, o.Text, o.Clear, o.Submit)
		if err == nil && !hidden && !o.Submit && o.Clear && squeeze(now) != squeeze(surface.Truncate(o.Text, 2000)) &&
			len(o.Text) <= 2000 {
			a.note = fmt.Sprintf("The field now holds %q.", surface.Truncate(now, 100))
		}
		return err
	})
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// Select implements surface.Surface.
func (p *Page) Select(ctx context.Context, id int, values []string) (annotation.Observation, error) {
	return p.on(ctx, id, func(ctx context.Context, a *action, g *target) error {
		if _, err := g.aim(ctx); err != nil {
			return err
		}
		now, err := collect.SelectOptions(ctx, g.w, g.element.Handle, values)
		if err != nil {
			return err
		}
		chosen := make([]string, 0, len(now))
		for _, v := range now[:min(len(now), 20)] {
			chosen = append(chosen, fmt.Sprintf("%q", surface.Truncate(v, 60)))
		}
		a.outcome = fmt.Sprintf("chose %s in %s", cmp.Or(strings.Join(chosen, ", "), "nothing"), g.element.Label())
		return nil
	})
}

// PressKey presses a key in the document of the last action on an element: the page's own or its frame's.
func (p *Page) PressKey(ctx context.Context, key string) (annotation.Observation, error) {
	return p.act(ctx, func(ctx context.Context, a *action) error {
		p.s.mu.Lock()
		frame := p.inFrame
		p.s.mu.Unlock()
		a.outcome = "pressed " + surface.Truncate(key, 40)
		err := collect.PressKey(ctx, p.world(frame), key)
		if r, ok := asRefusal(err); ok {
			return &surface.Fault{
				Kind: surface.FaultBlocked,
				Message: fmt.Sprintf("%s was not pressed: %s.", surface.Truncate(key, 40),
					surface.Truncate(r.Message, 200)),
				Suggestion: "Call click_element on what should get it, then press the key.",
			}
		}
		return err
	})
}

// Scroll scrolls the box of the element o.Target. If o.Target is 0, it scrolls the page, or the frame if the page does
// not move.
func (p *Page) Scroll(ctx context.Context, o surface.ScrollOptions) (annotation.Observation, error) {
	if !slices.Contains([]string{"up", "down", "left", "right", "top", "bottom"}, o.Direction) {
		return annotation.Observation{}, &surface.Fault{
			Kind:       surface.FaultInvalid,
			Message:    fmt.Sprintf("unknown direction %q", o.Direction),
			Suggestion: "Send up, down, left, right, top or bottom.",
		}
	}
	setOutcome := func(a *action, what string, moved bool) {
		a.outcome = "scrolled " + what + o.Direction
		if !moved {
			a.outcome = cmp.Or(what, "the page ") + "did not move: it is at its end (" + o.Direction + ")"
		}
	}
	if o.Target != 0 {
		return p.act(ctx, func(ctx context.Context, a *action) error {
			g, err := p.target(o.Target)
			if err != nil {
				return err
			}
			moved, err := collect.ScrollBy(ctx, g.w, g.element.Handle, o.Direction, o.Amount)
			setOutcome(a, g.element.Label()+" ", moved)
			return err
		})
	}
	return p.act(ctx, func(ctx context.Context, a *action) error {
		moved, err := collect.ScrollBy(ctx, p.world(false), 0, o.Direction, o.Amount)
		if err == nil && !moved && p.hasFrame() {
			moved, err = collect.ScrollBy(ctx, p.world(true), 0, o.Direction, o.Amount)
		}
		setOutcome(a, "", moved)
		return err
	})
}

// Wait implements surface.Surface. o.Seconds may be from 0 to 300.
func (p *Page) Wait(ctx context.Context, o surface.WaitOptions) (annotation.Observation, error) {
	if o.Seconds < 0 || o.Seconds > 300 {
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: "seconds must be between 0 and 300", Suggestion: "Send seconds such as 10.",
		}
	}
	c := surface.Condition{Text: o.Text, AbsentText: o.AbsentText, URL: o.URL}
	limit := time.Duration(cmp.Or(o.Seconds, surface.DefaultWaitSeconds) * float64(time.Second))
	return p.act(ctx, func(ctx context.Context, a *action) error {
		begun := time.Now()
		missing, err := p.waitUntil(ctx, c, limit)
		if err != nil {
			return err
		}
		if missing != "" {
			return &surface.Fault{
				Kind: surface.FaultTimeout, Message: fmt.Sprintf("Waited %.1f s, but %s.", limit.Seconds(), missing),
				Suggestion: "Call annotate_page to see what is there.",
			}
		}
		a.outcome = fmt.Sprintf("waited %.1f s", time.Since(begun).Seconds())
		return nil
	})
}

// AwaitCondition implements surface.Surface. For an empty c, it waits for the whole time.
func (p *Page) AwaitCondition(ctx context.Context, c surface.Condition, patience time.Duration) (
	held bool, missing string, err error,
) {
	release, err := p.acquire(ctx)
	if err != nil {
		return false, "", err
	}
	defer release()
	missing, err = p.waitUntil(ctx, c, patience)
	if err != nil {
		return false, "", p.explain(ctx, err)
	}
	return missing == "", missing, nil
}

const pollInterval = 100 * time.Millisecond

// waitUntil describes the parts of c that were not true at the end. An empty c waits for the whole limit.
func (p *Page) waitUntil(ctx context.Context, c surface.Condition, limit time.Duration) (missing string, err error) {
	end := time.Now().Add(limit)
	for {
		if c != (surface.Condition{}) {
			if missing, err = p.unmet(ctx, c); err != nil || missing == "" {
				return missing, err
			}
		}
		left := time.Until(end)
		if left <= 0 {
			return missing, nil
		}
		timer := time.NewTimer(min(left, pollInterval))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return "", context.Cause(ctx)
		}
	}
}

func (p *Page) unmet(ctx context.Context, c surface.Condition) (string, error) {
	var list []string
	if c.URL != "" && !strings.Contains(strings.ToLower(p.Address()), strings.ToLower(c.URL)) {
		list = append(list, fmt.Sprintf("the address does not contain %q: it is %s", surface.Truncate(c.URL, 80),
			p.Address()))
	}
	for _, t := range []struct {
		text  string
		there bool
		why   string
	}{{c.Text, true, "%q did not appear"}, {c.AbsentText, false, "%q is still there"}} {
		if t.text == "" {
			continue
		}
		is, err := p.hasText(ctx, t.text)
		if err != nil {
			return "", err
		}
		if is != t.there {
			list = append(list, fmt.Sprintf(t.why, surface.Truncate(t.text, 80)))
		}
	}
	if c.Role != "" || c.Name != "" {
		l, err := p.takeSnapshot(ctx, true)
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(l.Elements, func(e annotation.Element) bool {
			return (c.Role == "" || strings.EqualFold(e.Role, c.Role)) &&
				strings.Contains(strings.ToLower(e.Name), strings.ToLower(c.Name))
		}) {
			list = append(list, strings.TrimSpace("there is no "+c.Role+" "+surface.Truncate(c.Name, 80)))
		}
	}
	return strings.Join(list, " and "), nil
}

func (p *Page) hasText(ctx context.Context, text string) (bool, error) {
	is, err := collect.HasText(ctx, p.world(false), text)
	if err != nil || is || !p.hasFrame() {
		return is, err
	}
	is, err = collect.HasText(ctx, p.world(true), text)
	if err != nil && ctx.Err() == nil {
		return false, nil // a frame that does not answer counts as empty
	}
	return is, err
}
