package browser

import (
	"context"
	"fmt"

	"sextant/backend/surface"
	"sextant/shared/annotator"
)

// Annotate looks at the active tab. Elements of the answer are shared with the tab and must not
// be changed.
func (s *Session) Annotate(ctx context.Context, o surface.AnnotateOptions) (annotator.Answer, error) {
	if o.Scope != "" && o.Scope != "viewport" && o.Scope != "page" {
		return annotator.Answer{}, &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown scope %q", o.Scope), Suggestion: "Send viewport or page."}
	}
	t, err := s.current(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	ans, err := s.glanceOver(ctx, t, o.Scope == "page", o.ChangesOnly)
	if err != nil || o.Query == "" {
		return ans, err
	}
	all := ans.Elements
	found, partly := annotator.Match(all, o.Query)
	if len(found) == 0 && o.Scope != "page" {
		// It may stand further down.
		rest, err := s.glanceOver(ctx, t, true, false)
		if err != nil {
			return annotator.Answer{}, err
		}
		rest.Events = append(ans.Events, rest.Events...)
		ans, all = rest, rest.Elements
		if found, partly = annotator.Match(all, o.Query); len(found) > 0 {
			addNote(&ans, fmt.Sprintf("Nothing in the viewport matches %q; these stand elsewhere on the page.", surface.Clip(o.Query, 60)))
		}
	}
	ans.Elements, ans.Gone, ans.Changes = found, nil, false
	switch {
	case len(found) == 0:
		ans.Elements = []annotator.Element{}
		addNote(&ans, fmt.Sprintf("Nothing on the page matches %q. There is: %s.", surface.Clip(o.Query, 60), annotator.Inventory(all)))
	case partly:
		addNote(&ans, fmt.Sprintf("Nothing matches all of %q; these match some of its words.", surface.Clip(o.Query, 60)))
	}
	return ans, nil
}

// glanceOver looks without acting.
func (s *Session) glanceOver(ctx context.Context, t *tab, wide, changed bool) (annotator.Answer, error) {
	return s.act(ctx, t, func(_ context.Context, a *action) error {
		a.full, a.wide, a.changed = !changed, wide, changed
		return nil
	})
}

// widen makes an answer about the viewport one about the whole page.
func (t *tab) widen(ctx context.Context, a *action, now *snapshot, ans *annotator.Answer) {
	b := t.s.b
	b.Lock()
	before := t.lastWhole
	t.lastWhole = now
	b.Unlock()
	ans.Above, ans.Below = 0, 0
	ans.Elements, ans.Gone, ans.Changes = now.elements, nil, false
	if a.changed && before != nil && before.main == now.main {
		ans.Elements, ans.Gone = t.observer.compare(ctx, before, now)
		ans.Changes = true
	}
}

// inView is what of a look at the whole page can be seen without scrolling, with counts of what
// stands above and below.
func (l *snapshot) inView() *snapshot {
	v := *l
	v.elements, v.byID, v.above, v.below = nil, map[int]int{}, 0, 0
	for _, e := range l.elements {
		switch {
		case e.InView:
			v.byID[e.ID] = len(v.elements)
			v.elements = append(v.elements, e)
		case e.Box.Y+e.Box.Height <= 0:
			v.above++
		default:
			v.below++
		}
	}
	return &v
}
