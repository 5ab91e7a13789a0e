package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

func (t *Target) checkSecretOrigin(ctx context.Context, only string) error {
	if only == "" {
		return nil
	}
	raw, err := t.Document.Call(ctx, "() => location.origin")
	if err != nil {
		return err
	}
	var origin string
	if err := json.Unmarshal(raw, &origin); err == nil && strings.EqualFold(origin, only) {
		return nil
	}
	return &surface.Fault{
		Kind: surface.FaultBlocked,
		Message: fmt.Sprintf("%s is on %s now, and the secret is for %s: nothing was typed.", t.Label(),
			surface.Truncate(origin, 100), only),
		Suggestion: "Call annotate_page to see where the page went.",
	}
}

// Type puts text into an element.
func Type(ctx context.Context, s *page.Session, o surface.TypeOptions) (annotation.Observation, error) {
	limit := actionTimeout
	if o.Human {
		limit += time.Duration(len(o.Text)) * 100 * time.Millisecond
	}
	return onElementWithin(ctx, s, limit, o.ID, func(ctx context.Context, a *page.Action, g *Target) error {
		return g.typeText(ctx, a, o)
	})
}

// secret reports whether the element is a password field, also when that is unknown.
func (t *Target) secret(ctx context.Context) bool {
	raw, err := t.Document.Call(ctx, "() => { const n = ("+collect.NodeExpression(t.Element.Handle)+
		")(); return !!n && n.type === 'password' }")
	return err != nil || string(raw) != "false"
}

func (t *Target) typeText(ctx context.Context, a *page.Action, o surface.TypeOptions) error {
	x, y, err := t.aim(ctx, collect.AimOptions{})
	if err != nil {
		return err
	}
	if err := t.checkSecretOrigin(ctx, o.SecretFor); err != nil {
		return err
	}
	t.tab.ShowPointer(x, y, false, t.Element.ID)
	secret := o.SecretFor != "" || t.Element.Secret || t.secret(ctx)
	sentence := fmt.Sprintf("typed %q into %s", surface.Truncate(o.Text, 60), t.Label())
	if secret {
		t.tab.HideSecret(o.Text)
		if o.SecretFor != "" {
			t.tab.CoverSecret(o.Text, o.SecretFor)
		}
		sentence = "typed the text into " + t.Label()
	}
	if filled, now, err := collect.SetValue(ctx, t.Document, t.Element.Handle, o.Text); err != nil {
		return t.blockedFault(err)
	} else if filled {
		a.SetOutcome("%s", strings.Replace(sentence, "typed", "set", 1))
		if now != o.Text && !secret {
			page.AddActionNote(a, fmt.Sprintf("It now holds %q.", surface.Truncate(now, 80)))
		}
		return t.submit(ctx, a, o.Submit)
	}
	byPress, err := t.focus(ctx, a)
	if err != nil {
		return err
	}
	field, err := collect.SelectAll(ctx, t.Document, t.Element.Handle)
	if err != nil {
		return t.blockedFault(err)
	}
	if o.Text != "" || !field.Empty {
		w, want, err := t.typeInto(ctx, a, field, o, sentence, byPress)
		switch {
		case errors.Is(err, cdp.ErrReplaced), errors.Is(err, collect.ErrGone):
			w.Gone = true
		case err != nil:
			return err
		}
		if err := t.checkContent(a, w, want, secret); err != nil {
			return err
		}
	}
	a.SetOutcome("%s", sentence)
	if o.Text != "" && !o.Submit {
		// The page may have replaced the field, which does not make the typing fail.
		_ = collect.AwaitSuggestions(ctx, t.Document, t.Element.Handle, maxSuggestionWait)
	}
	return t.submit(ctx, a, o.Submit)
}

// maxSuggestionWait is longer than the usual 300 ms for which pages wait for more text before they suggest something.
const maxSuggestionWait = 450 * time.Millisecond

// typeInto types again key by key if the field ignored the text, for fields that react only to key events.
func (t *Target) typeInto(
	ctx context.Context, a *page.Action, field collect.TextField, o surface.TypeOptions, sentence string, byPress bool,
) (w collect.TypingResult, want string, err error) {
	want = o.Text
	if !o.Clear {
		want = field.TextBefore + o.Text
	}
	for _, keys := range []bool{o.Human, true} {
		if err := collect.GuardKeys(ctx, t.Document, t.Element.Handle, byPress); err != nil {
			return w, want, err
		}
		a.SetOutcome("%s", sentence)
		if err := write(ctx, a.Client(ctx), field, o, keys); err != nil {
			return w, want, err
		}
		if err := t.checkKeysReached(ctx, a, "the text"); err != nil {
			return w, want, err
		}
		if w, err = collect.EndTyping(ctx, t.Document, want); err != nil || w.Changed || keys || len(o.Text) > maxKeys {
			return w, want, err
		}
		if field, err = collect.SelectAll(ctx, t.Document, t.Element.Handle); err != nil {
			return w, want, err
		}
	}
	return w, want, nil
}

func (t *Target) checkContent(a *page.Action, w collect.TypingResult, want string, secret bool) error {
	switch {
	case w.Exact || w.Gone:
		return nil
	case !w.Changed:
		f := &surface.Fault{
			Kind: surface.FaultBlocked, Message: t.Label() +
				" did not take the text: it still holds what it held before.",
			Suggestion: "Call annotate_page to see what it takes.",
		}
		if !secret && w.Now == "" {
			f.Message = t.Label() + " did not take the text: it is still empty."
		}
		return f
	case secret:
		page.AddActionNote(a, fmt.Sprintf("The field now holds %d characters, not the %d expected.", len([]rune(w.Now)),
			len([]rune(want))))
	default:
		page.AddActionNote(a, fmt.Sprintf("The field now holds %q.", surface.Truncate(w.Now, 100)))
	}
	return nil
}

// focus returns byPress when only a press could focus the element; then another element may have the focus.
func (t *Target) focus(ctx context.Context, a *page.Action) (byPress bool, err error) {
	var refused *collect.Refusal
	err = collect.Focus(ctx, t.Document, t.Element.Handle)
	if errors.As(err, &refused) {
		return true, t.click(ctx, a, input.MousePress{}, "clicked")
	}
	if err != nil {
		return false, t.blockedFault(err)
	}
	return false, nil
}

// maxKeys bounds the length in bytes of text that is typed again key by key.
const maxKeys = 1000

func write(ctx context.Context, c proto.Client, field collect.TextField, o surface.TypeOptions, keys bool) (err error) {
	switch {
	case !o.Clear && !field.Empty:
		// The whole content is selected now: move the cursor to the end.
		err = input.PressKey(c, "Control+End")
	case o.Clear && !field.Empty && (o.Text == "" || keys):
		err = input.PressKey(c, "Delete")
	}
	if err != nil || o.Text == "" {
		return err
	}
	if keys {
		return input.TypeText(ctx, c, o.Text, o.Human)
	}
	if !field.Rich {
		return input.InsertText(c, o.Text)
	}
	// In rich text, a line break is a key and not a character.
	for i, line := range strings.Split(strings.ReplaceAll(o.Text, "\r\n", "\n"), "\n") {
		if i > 0 {
			if err := input.PressKey(c, "Enter"); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if err := input.InsertText(c, line); err != nil {
			return err
		}
	}
	return nil
}

func (t *Target) checkKeysReached(ctx context.Context, a *page.Action, what string) error {
	result, err := collect.EndKeyGuard(ctx, t.Document)
	if errors.Is(err, cdp.ErrReplaced) || err == nil && result.Hit {
		return nil
	}
	if err != nil {
		return err
	}
	f := &surface.Fault{
		Kind:       surface.FaultBlocked,
		Message:    fmt.Sprintf("%s did not get %s: the page took the focus away from it.", t.Label(), what),
		Suggestion: "Call annotate_page to see what happened, then try again.",
	}
	if result.Seen {
		f.Message = fmt.Sprintf("%s did not get %s: the page moved the focus to %s, which did not get it either.",
			t.Label(), what, result.Text)
	}
	a.Acted = false
	return f
}

func (t *Target) submit(ctx context.Context, a *page.Action, wanted bool) error {
	if !wanted {
		return nil
	}
	err := collect.GuardKeys(ctx, t.Document, t.Element.Handle, true)
	if errors.Is(err, collect.ErrGone) || errors.Is(err, cdp.ErrReplaced) {
		page.AddActionNote(a, "Enter was not pressed: the page had rendered the field again.")
		return nil
	}
	if err != nil {
		return err
	}
	if err := input.PressKey(a.Client(ctx), "Enter"); err != nil {
		return err
	}
	result, err := collect.EndKeyGuard(ctx, t.Document)
	if err == nil && !result.Hit {
		page.AddActionNote(a, "Enter was not pressed: the page had taken the focus away from the field.")
		return nil
	}
	if err != nil && !errors.Is(err, cdp.ErrReplaced) {
		return err
	}
	a.Outcome += " and pressed Enter"
	return nil
}
