package act

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Select chooses options of a native list by label or value.
func Select(ctx context.Context, s *page.Session, id int, values []string) (annotation.Observation, error) {
	return onElement(ctx, s, id, func(ctx context.Context, a *page.Action, g *Target) error {
		x, y, err := g.aim(ctx, collect.AimOptions{})
		if err != nil {
			return err
		}
		g.tab.ShowPointer(x, y, true, g.Element.ID)
		a.SetOutcome("chose %s in %s", quoted(values), g.Label())
		now, err := collect.SelectOptions(ctx, g.Document, g.Element.Handle, values)
		if err != nil {
			return g.blockedFault(err)
		}
		a.Outcome = fmt.Sprintf("chose %s in %s", quoted(now), g.Label())
		return nil
	})
}

func quoted(values []string) string {
	if len(values) == 0 {
		return "nothing"
	}
	q := make([]string, len(values))
	for i, v := range values {
		q[i] = fmt.Sprintf("%q", surface.Truncate(v, 60))
	}
	return strings.Join(q, ", ")
}

// SelectText selects a range of text. It searches the element id (0: the page, then its frames) for the first
// occurrence of text, or uses the whole element when text is "". In that range, it selects the characters from start
// to end (0: to the end).
func SelectText(ctx context.Context, s *page.Session, id int, text string, start, end int) (annotation.Observation,
	error,
) {
	if id != 0 {
		return onElement(ctx, s, id, func(ctx context.Context, a *page.Action, g *Target) error {
			if err := g.verify(ctx); err != nil {
				return err
			}
			now, err := collect.SelectText(ctx, g.Document, g.Element.Handle, text, start, end)
			if err != nil {
				return g.blockedFault(err)
			}
			a.SetOutcome("selected %q in %s", surface.Truncate(now, 80), g.Label())
			return notifyEditor(ctx, a, g.Document)
		})
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		var first error
		for _, doc := range a.Page.Documents() {
			now, err := collect.SelectText(ctx, doc, 0, text, start, end)
			if err == nil {
				a.SetOutcome("selected %q", surface.Truncate(now, 80))
				return notifyEditor(ctx, a, doc)
			}
			if first == nil {
				first = err
			}
		}
		return first
	})
}

// editorDelay is how long an editor may take to read the selection after a key: some debounce keys by 100 ms.
const editorDelay = 130 * time.Millisecond

// notifyEditor presses a key without effect, because some rich-text editors read the selection only after a key or a
// mouse button.
func notifyEditor(ctx context.Context, a *page.Action, doc *cdp.Document) error {
	if edits, err := collect.SelectionIsEditable(ctx, doc); err != nil || !edits {
		return err
	}
	if err := input.PressKey(a.Client(ctx), "Shift"); err != nil {
		return err
	}
	select {
	case <-time.After(editorDelay):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
