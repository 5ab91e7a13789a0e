package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"

	"sextant/shared/annotator"
)

// Type puts text into an element.
func (s *Session) Type(ctx context.Context, o surface.TypeOptions) (annotator.Answer, error) {
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

// typeText brings text into a field and makes sure that it stands there.
func (g *target) typeText(ctx context.Context, a *action, o surface.TypeOptions) error {
	x, y, err := g.aim(ctx, collect.Aim{})
	if err != nil {
		return err
	}
	if err := g.belongs(ctx, o.SecretFor); err != nil {
		return err
	}
	g.t.pointer(x, y, false, g.thing.ID)
	secret := o.SecretFor != "" || g.thing.Secret || g.secret(ctx)
	sentence := fmt.Sprintf("typed %q into %s", surface.Clip(o.Text, 60), g.name())
	if secret {
		g.t.hides(o.Text)
		if o.SecretFor != "" {
			g.t.covers(o.Text, o.SecretFor)
		}
		sentence = "typed the text into " + g.name()
	}
	if filled, now, err := collect.Fill(ctx, g.doc, g.thing.Handle, o.Text); err != nil {
		return g.blocked(err)
	} else if filled {
		a.does("%s", strings.Replace(sentence, "typed", "set", 1))
		if now != o.Text && !secret {
			addNoteTo(a, fmt.Sprintf("It now holds %q.", surface.Clip(now, 80)))
		}
		return g.submit(ctx, a, o.Submit)
	}
	lent, err := g.focus(ctx, a)
	if err != nil {
		return err
	}
	field, err := collect.Clear(ctx, g.doc, g.thing.Handle)
	if err != nil {
		return g.blocked(err)
	}
	if o.Text != "" || !field.Empty {
		w, want, err := g.enter(ctx, a, field, o, sentence, lent)
		switch {
		case errors.Is(err, cdp.ErrReplaced), errors.Is(err, collect.ErrGone):
			w.Gone = true // the page went on with the text
		case err != nil:
			return err
		}
		if err := g.held(a, w, want, secret); err != nil {
			return err
		}
	}
	a.does("%s", sentence)
	return g.submit(ctx, a, o.Submit)
}

// enter types into the focused field whose content is selected, and sees what became of it. A
// field that listens to keys only is typed into once more, key by key.
func (g *target) enter(
	ctx context.Context, a *action, field collect.Field, o surface.TypeOptions, sentence string, lent bool,
) (w collect.Writing, want string, err error) {
	want = o.Text
	if !o.Clear {
		want = field.Before + o.Text
	}
	for _, keys := range []bool{o.Human, true} {
		if err := collect.GuardKeys(ctx, g.doc, g.thing.Handle, lent); err != nil {
			return w, want, err
		}
		a.does("%s", sentence)
		if err := write(ctx, a.client(ctx), field, o, keys); err != nil {
			return w, want, err
		}
		if err := g.typed(ctx, a, "the text"); err != nil {
			return w, want, err
		}
		if w, err = collect.Written(ctx, g.doc, want); err != nil || w.Taken || keys || len(o.Text) > maxKeys {
			return w, want, err
		}
		if field, err = collect.Clear(ctx, g.doc, g.thing.Handle); err != nil {
			return w, want, err
		}
	}
	return w, want, nil
}

// held says in the answer what the field holds when that is not what was typed. It is a fault
// when nothing of it arrived.
func (g *target) held(a *action, w collect.Writing, want string, secret bool) error {
	switch {
	case w.Exact || w.Gone:
		return nil
	case !w.Taken:
		f := &surface.Fault{Kind: surface.FaultBlocked, Message: g.name() + " did not take the text: it still holds what it held before.", Suggestion: "Call annotate_page to see what it takes."}
		if !secret && w.Now == "" {
			f.Message = g.name() + " did not take the text: it is still empty."
		}
		return f
	case secret:
		addNoteTo(a, fmt.Sprintf("The field now holds %d characters, not the %d expected.", len([]rune(w.Now)), len([]rune(want))))
	default:
		addNoteTo(a, fmt.Sprintf("The field now holds %q.", surface.Clip(w.Now, 100)))
	}
	return nil
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

// maxKeys bounds what is typed once more, key by key.
const maxKeys = 1000

// write types, with keys or in one go, into the focused field whose content is selected.
func write(ctx context.Context, c proto.Client, field collect.Field, o surface.TypeOptions, keys bool) (err error) {
	switch {
	case !o.Clear && !field.Empty:
		// Everything is selected now: the cursor goes behind it.
		err = input.Key(c, "Control+End")
	case o.Clear && !field.Empty && (o.Text == "" || keys):
		err = input.Key(c, "Delete")
	}
	if err != nil || o.Text == "" {
		return err
	}
	if keys {
		return input.Type(ctx, c, o.Text, o.Human)
	}
	if !field.Rich {
		return input.Text(c, o.Text)
	}
	// In rich text a line break is a key, not a character.
	for i, line := range strings.Split(strings.ReplaceAll(o.Text, "\r\n", "\n"), "\n") {
		if i > 0 {
			if err := input.Key(c, "Enter"); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if err := input.Text(c, line); err != nil {
			return err
		}
	}
	return nil
}

// typed makes sure that what was typed reached the element.
func (g *target) typed(ctx context.Context, a *action, what string) error {
	met, err := collect.KeysMet(ctx, g.doc)
	if errors.Is(err, cdp.ErrReplaced) || err == nil && met.Hit {
		return nil
	}
	if err != nil {
		return err
	}
	f := &surface.Fault{
		Kind:       surface.FaultBlocked,
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
	if errors.Is(err, collect.ErrGone) || errors.Is(err, cdp.ErrReplaced) {
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
	if err != nil && !errors.Is(err, cdp.ErrReplaced) {
		return err
	}
	a.outcome += " and pressed Enter"
	return nil
}
