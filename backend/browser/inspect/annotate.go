// Package inspect reads a tab: its elements, text, pictures and PDF, and whether a condition is true.
package inspect

import (
	"context"
	"fmt"

	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Annotate returns the elements of the active tab. They are shared with the tab and must not be modified. A query
// without a match in the viewport searches the page.
func Annotate(ctx context.Context, s *page.Session, o surface.AnnotateOptions) (annotation.Observation, error) {
	if o.Scope != "" && o.Scope != "viewport" && o.Scope != "page" {
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: fmt.Sprintf("unknown scope %q", o.Scope), Suggestion: "Send viewport or page.",
		}
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	ans, err := observeTab(ctx, s, t, o.Scope == "page", o.ChangesOnly)
	if err != nil || o.Query == "" {
		return ans, err
	}
	all := ans.Elements
	found, partial := annotation.Match(all, o.Query)
	if len(found) == 0 && o.Scope != "page" {
		rest, err := observeTab(ctx, s, t, true, false)
		if err != nil {
			return annotation.Observation{}, err
		}
		rest.Events = append(ans.Events, rest.Events...)
		ans, all = rest, rest.Elements
		if found, partial = annotation.Match(all, o.Query); len(found) > 0 {
			page.AddNote(&ans, fmt.Sprintf("Nothing in the viewport matches %q; these are elsewhere on the page.",
				surface.Truncate(o.Query, 60)))
		}
	}
	ans.Elements, ans.Gone, ans.OnlyChanges = found, nil, false
	switch {
	case len(found) == 0:
		ans.Elements = []annotation.Element{}
		page.AddNote(&ans, fmt.Sprintf("Nothing on the page matches %q. There is: %s.", surface.Truncate(o.Query, 60),
			annotation.Inventory(all)))
	case partial:
		page.AddNote(&ans, fmt.Sprintf("Nothing matches all of %q; these match some of its words.",
			surface.Truncate(o.Query, 60)))
	}
	return ans, nil
}

func observeTab(ctx context.Context, s *page.Session, t *page.Tab, wide, changed bool) (annotation.Observation, error) {
	return s.Act(ctx, t, func(_ context.Context, a *page.Action) error {
		a.ListAll, a.WholePage, a.ChangesOnly = !changed, wide, changed
		return nil
	})
}
