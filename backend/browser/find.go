package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/surface"
)

// target is an element that an action is for.
type target struct {
	t     *tab
	a     *action
	doc   *cdp.Document
	thing identity.Thing
	// pressed is the tracker's moment before the newest press.
	pressed int
}

// name is the element as sentences call it: [12] button "Save".
func (g *target) name() string { return label(g.thing) }

func label(th identity.Thing) string {
	if th.Name == "" {
		return fmt.Sprintf("[%d] %s", th.ID, th.Role)
	}
	return fmt.Sprintf("[%d] %s %q", th.ID, th.Role, surface.Clip(th.Name, 80))
}

// find resolves a number to its living node; a replaced node's number may have moved, and
// then the action's note says so.
func (t *tab) find(ctx context.Context, a *action, id int) (*target, error) {
	g, err := t.locate(ctx, a, id)
	if err != nil {
		return nil, err
	}
	for range redraws {
		now, err := collect.StillIs(ctx, g.doc, g.thing.Handle, g.told())
		switch {
		case errors.Is(err, cdp.ErrReplaced):
			return nil, t.gone(ctx, id, "the page was replaced by a navigation")
		case err != nil:
			return nil, err
		case now.Gone:
			if err := g.renew(ctx); err != nil {
				return nil, err
			}
			continue
		case now.Row:
			return nil, g.reused(ctx, now.Text)
		case now.RowMark != "":
			return nil, g.rowChanged(now.Text, now.RowMark)
		case now.Mark != "" || now.Text != "":
			return nil, g.changed(now.Text, now.Mark)
		}
		return g, nil
	}
	return nil, t.gone(ctx, id, "the page draws it anew all the time")
}

// told is what the owner of the number knows of the element.
func (g *target) told() collect.Told {
	return collect.Told{Sign: &g.thing.Told, Loose: g.thing.Warned, Row: g.thing.ToldRow, LooseRow: g.thing.WarnedRow}
}

// reused is the fault for a node that the page uses for something else in another row.
func (g *target) reused(ctx context.Context, row string) error {
	if _, err := g.t.observer.look(ctx, collect.Options{WholePage: true}); err != nil {
		return err
	}
	return g.t.gone(ctx, g.thing.ID, fmt.Sprintf("the page uses its place for %q now", surface.Clip(row, 60)))
}

// changed is the fault for an element that says something else than its number's owner was
// told: a page may use one node for many things. It is refused once: who then uses the number
// again means what it says now. What counts by itself (a clock on a button) is only refused once.
func (g *target) changed(says, mark string) error {
	id := g.thing.ID
	g.t.s.b.elements.Warn(id, mark)
	return &surface.Fault{
		Kind:       surface.FaultGone,
		Message:    fmt.Sprintf("[%d] says %q now, and was listed as %s %q: nothing was done.", id, surface.Clip(says, 80), g.thing.Role, surface.Clip(g.thing.Heard, 80)),
		Suggestion: fmt.Sprintf("Use [%d] again if that is what you mean, or call annotate_page.", id),
	}
}

// rowChanged is the fault for an element whose row says other digits than when its number's owner
// was told of it: the page may have drawn another row with the same nodes, or the row counts
// something. Like changed, it is said once.
func (g *target) rowChanged(says, mark string) error {
	id := g.thing.ID
	g.t.s.b.elements.WarnRow(id, mark)
	return &surface.Fault{
		Kind:       surface.FaultGone,
		Message:    fmt.Sprintf("the row of %s says %q now, and had other figures when it was listed: nothing was done.", g.name(), surface.Clip(says, 60)),
		Suggestion: fmt.Sprintf("Use [%d] again if that is what you mean, or call annotate_page.", id),
	}
}

// locate is find that leaves it to the aim to see whether the node lives.
func (t *tab) locate(ctx context.Context, a *action, id int) (*target, error) {
	thing, ok := t.s.b.elements.Thing(id)
	if !ok {
		return nil, t.gone(ctx, id, "its page was left")
	}
	doc := t.observer.document(thing.Doc)
	if doc == nil {
		return nil, t.gone(ctx, id, "the page was replaced by a navigation")
	}
	return &target{t: t, a: a, doc: doc, thing: thing}, nil
}

// sure makes sure that the element lives, for actions that do not aim.
func (g *target) sure(ctx context.Context) error {
	now, err := g.t.find(ctx, g.a, g.thing.ID)
	if err == nil {
		*g = *now
	}
	return err
}

// renew looks again for the one node that took the place of one that is gone, wherever it
// stands.
func (g *target) renew(ctx context.Context) error {
	if _, err := g.t.observer.look(ctx, collect.Options{WholePage: true}); err != nil {
		return err
	}
	moved, ok := g.t.s.b.elements.Thing(g.thing.ID)
	if !ok || moved.Handle == g.thing.Handle || moved.Handle == 0 {
		return g.t.gone(ctx, g.thing.ID, "it was removed from the page")
	}
	doc := g.t.observer.document(moved.Doc)
	if doc == nil {
		return g.t.gone(ctx, g.thing.ID, "the page was replaced by a navigation")
	}
	g.doc, g.thing = doc, moved
	g.a.note = fmt.Sprintf("[%d] was drawn anew by the page; the only element like it was used.", moved.ID)
	return nil
}

// gone is the fault for a dead number, with the elements most like it.
func (t *tab) gone(ctx context.Context, id int, why string) error {
	f := &surface.Fault{
		Kind: surface.FaultGone, Message: fmt.Sprintf("[%d] is gone: %s.", id, why), Suggestion: "Call annotate_page.",
	}
	thing, ok := t.s.b.elements.Thing(id)
	if !ok {
		return f
	}
	now, err := t.observer.look(ctx, collect.Options{})
	if err != nil {
		return f
	}
	type near struct {
		text  string
		score int
	}
	var found []near
	for _, e := range now.elements {
		if score := likeness(thing, e.Role, e.Name); score >= 3 && e.ID != id {
			found = append(found, near{label(identity.Thing{ID: e.ID, Role: e.Role, Name: e.Name}), score})
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

func likeness(th identity.Thing, role, name string) int {
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
