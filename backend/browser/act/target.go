package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
)

// Target is the element that an action acts on.
type Target struct {
	tab      *page.Tab
	action   *page.Action
	Document *cdp.Document
	Element  identity.Element
	// pressed is the tracker's Moment before the newest press.
	pressed int
}

// Label returns the name of the element for use in sentences: [12] button "Save".
func (t *Target) Label() string { return t.Element.Label() }

// FindTarget returns the connected node of an id. When the id has moved to a node that replaced the old one, it adds
// a note to the action. The error is a fault when there is none, or when its text has changed.
func FindTarget(ctx context.Context, t *page.Tab, a *page.Action, id int) (*Target, error) {
	g, err := locateTarget(ctx, t, a, id)
	if err != nil {
		return nil, err
	}
	for range maxRedraws {
		now, err := collect.CheckElement(ctx, g.Document, g.Element.Handle, observe.ExpectationOf(g.Element))
		switch {
		case errors.Is(err, cdp.ErrReplaced):
			return nil, goneFault(ctx, t, id, "the page was replaced by a navigation")
		case err != nil:
			return nil, err
		case now.Gone:
			if err := g.rebind(ctx); err != nil {
				return nil, err
			}
			continue
		case now.InOtherRow:
			return nil, g.reusedFault(ctx, now.Text)
		case now.RowHash != "" || now.TextHash != "" || now.Text != "":
			return nil, observe.ChangedFault(t.Session.Manager.Elements, g.Element, now.Text, now.TextHash, now.RowHash)
		}
		return g, nil
	}
	return nil, goneFault(ctx, t, id, "the page keeps rendering it again")
}

func (t *Target) reusedFault(ctx context.Context, row string) error {
	if _, err := t.tab.Observer.Snapshot(ctx, collect.Options{WholePage: true}); err != nil {
		return err
	}
	return goneFault(ctx, t.tab, t.Element.ID, fmt.Sprintf("the page now uses its place for %q",
		surface.Truncate(row, 60)))
}

// locateTarget does not check that the element is still in the page; aiming does.
func locateTarget(ctx context.Context, t *page.Tab, a *page.Action, id int) (*Target, error) {
	element, ok := t.Session.Manager.Elements.Element(id)
	if !ok {
		return nil, goneFault(ctx, t, id, "its page was left")
	}
	doc := t.Observer.Document(element.Doc)
	if doc == nil {
		return nil, goneFault(ctx, t, id, "the page was replaced by a navigation")
	}
	return &Target{tab: t, action: a, Document: doc, Element: element}, nil
}

// verify checks the element as FindTarget does, for actions that do not aim.
func (t *Target) verify(ctx context.Context) error {
	now, err := FindTarget(ctx, t.tab, t.action, t.Element.ID)
	if err == nil {
		*t = *now
	}
	return err
}

// rebind follows the id to the node that replaced the removed one, with a new snapshot of the whole page.
func (t *Target) rebind(ctx context.Context) error {
	if _, err := t.tab.Observer.Snapshot(ctx, collect.Options{WholePage: true}); err != nil {
		return err
	}
	moved, ok := t.tab.Session.Manager.Elements.Element(t.Element.ID)
	if !ok || moved.Handle == t.Element.Handle || moved.Handle == 0 {
		return goneFault(ctx, t.tab, t.Element.ID, "it was removed from the page")
	}
	doc := t.tab.Observer.Document(moved.Doc)
	if doc == nil {
		return goneFault(ctx, t.tab, t.Element.ID, "the page was replaced by a navigation")
	}
	t.Document, t.Element = doc, moved
	t.action.Note = fmt.Sprintf("[%d] was rendered again by the page; the only element like it was used.", moved.ID)
	return nil
}

func goneFault(ctx context.Context, t *page.Tab, id int, why string) error {
	f := &surface.Fault{
		Kind: surface.FaultGone, Message: fmt.Sprintf("[%d] is gone: %s.", id, why), Suggestion: "Call annotate_page.",
	}
	element, ok := t.Session.Manager.Elements.Element(id)
	if !ok {
		return f
	}
	now, err := t.Observer.Snapshot(ctx, collect.Options{})
	if err != nil {
		return f
	}
	type near struct {
		text  string
		score int
	}
	var found []near
	for _, e := range now.Elements {
		if score := similarity(element, e.Role, e.Name); score >= 3 && e.ID != id {
			found = append(found, near{identity.Element{ID: e.ID, Role: e.Role, Name: e.Name}.Label(), score})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(b.score, a.score) })
	var names []string
	for _, n := range found[:min(3, len(found))] {
		names = append(names, n.text)
	}
	if len(names) > 0 {
		f.Message += " Nearest: " + strings.Join(names, ", ") + "."
	}
	return f
}

func similarity(th identity.Element, role, name string) int {
	score := 0
	if th.Role == role {
		score += 2
	}
	a, b := strings.ToLower(th.Name), strings.ToLower(name)
	switch {
	case a == "" || b == "":
	case a == b:
		score += 4
	case strings.Contains(a, b) || strings.Contains(b, a):
		score += 2
	}
	return score
}
