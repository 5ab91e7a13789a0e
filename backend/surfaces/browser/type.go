package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/surfaces/browser/collect"
	"sextant/backend/surfaces/browser/frames"
	"sextant/backend/surfaces/browser/input"
)

// Type puts text into an element.
func (s *Session) Type(ctx context.Context, o TypeOptions) (answer, error) {
	limit := handLimit
	if o.Human {
		limit += time.Duration(len(o.Text)) * 100 * time.Millisecond
	}
	return s.onWithin(ctx, limit, o.ID, func(ctx context.Context, a *action, g *target) error {
		return g.typeText(ctx, a, o)
	})
}

// secret reports whether the element hides what is typed into it, so that the answer does
// too. When that cannot be found out, it is taken for secret.
func (g *target) secret(ctx context.Context) bool {
	raw, err := g.doc.Call(ctx, "() => { const n = ("+collect.NodeExpression(g.thing.Handle)+")(); return !!n && n.type === 'password' }")
	return err != nil || string(raw) != "false"
}

func (g *target) typeText(ctx context.Context, a *action, o TypeOptions) error {
	x, y, err := g.aim(ctx, collect.Aim{})
	if err != nil {
		return err
	}
	g.t.pointer(x, y, false, g.thing.ID)
	sentence := fmt.Sprintf("typed %q into %s", clip(o.Text, 60), g.name())
	if g.secret(ctx) {
		sentence = "typed the text into " + g.name()
	}
	if filled, _, err := collect.Fill(ctx, g.doc, g.thing.Handle, o.Text); err != nil {
		return g.blocked(err)
	} else if filled {
		a.does("%s", strings.Replace(sentence, "typed", "set", 1))
		return g.submit(ctx, a, o.Submit)
	}
	lent, err := g.focus(ctx, a)
	if err != nil {
		return err
	}
	empty, err := collect.Clear(ctx, g.doc, g.thing.Handle)
	if err != nil {
		return g.blocked(err)
	}
	if o.Text != "" || !empty {
		if err := collect.GuardKeys(ctx, g.doc, g.thing.Handle, lent); err != nil {
			return err
		}
		a.does("%s", sentence)
		if err := enter(ctx, a.client(ctx), o, empty); err != nil {
			return err
		}
		if err := g.typed(ctx, a, "the text"); err != nil {
			return err
		}
	}
	a.does("%s", sentence)
	return g.submit(ctx, a, o.Submit)
}

// focus puts the keyboard on the element; lent when only a press could, so that what has the
// focus then may be something else.
func (g *target) focus(ctx context.Context, a *action) (lent bool, err error) {
	var refused *collect.Refusal
	err = collect.Focus(ctx, g.doc, g.thing.Handle)
	if errors.As(err, &refused) {
		return true, g.click(ctx, a, input.Press{}, "clicked")
	}
	if err != nil {
		return false, g.blocked(err)
	}
	return false, nil
}

// enter types into what has the focus; all that it holds is selected.
func enter(ctx context.Context, c proto.Client, o TypeOptions, empty bool) (err error) {
	switch {
	case !o.Clear && !empty:
		// The cursor goes behind it.
		err = input.Key(c, "Control+End")
	case o.Clear && !empty && (o.Text == "" || o.Human):
		err = input.Key(c, "Delete")
	}
	if err != nil || o.Text == "" {
		return err
	}
	if o.Human {
		return input.Type(ctx, c, o.Text)
	}
	return input.Text(c, o.Text)
}

// typed makes sure that what was typed reached the element.
func (g *target) typed(ctx context.Context, a *action, what string) error {
	met, err := collect.KeysMet(ctx, g.doc)
	if errors.Is(err, frames.ErrReplaced) || err == nil && met.Hit {
		return nil
	}
	if err != nil {
		return err
	}
	f := &Fault{
		Kind:       FaultBlocked,
		Message:    fmt.Sprintf("%s did not get %s: the page took the focus away from it.", g.name(), what),
		Suggestion: "Call annotate_page to see what happened, then try again.",
	}
	if met.Seen {
		f.Message = fmt.Sprintf("%s did not get %s: the page moved the focus to %s, which did not get it either.", g.name(), what, met.Text)
	}
	a.acted = false
	return f
}

func (g *target) submit(ctx context.Context, a *action, wanted bool) error {
	if !wanted {
		return nil
	}
	err := collect.GuardKeys(ctx, g.doc, g.thing.Handle, true)
	if errors.Is(err, collect.ErrGone) || errors.Is(err, frames.ErrReplaced) {
		addNoteTo(a, "Enter was not pressed: the page had drawn the field anew.")
		return nil
	}
	if err != nil {
		return err
	}
	if err := input.Key(a.client(ctx), "Enter"); err != nil {
		return err
	}
	met, err := collect.KeysMet(ctx, g.doc)
	if err == nil && !met.Hit {
		addNoteTo(a, "Enter was not pressed: the page had taken the focus away from the field.")
		return nil
	}
	if err != nil && !errors.Is(err, frames.ErrReplaced) {
		return err
	}
	a.outcome += " and pressed Enter"
	return nil
}
