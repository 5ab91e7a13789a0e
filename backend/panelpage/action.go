package panelpage

import (
	"context"
	"fmt"
	"time"

	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

type action struct {
	p *Page
	// outcome says what was done, without a full stop; "" for an action that only reads.
	outcome         string
	note            string
	wholePage, full bool
	begun           time.Time
}

// act waits for earlier actions, runs do, and if do sets an outcome, waits until the page has settled. It then returns
// the changes or, as the action says, all elements.
func (p *Page) act(ctx context.Context, do func(context.Context, *action) error) (annotation.Observation, error) {
	release, err := p.acquire(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	defer release()
	a := &action{p: p, begun: time.Now()}
	if err := do(ctx, a); err != nil {
		return annotation.Observation{}, p.explain(ctx, err)
	}
	var settled time.Duration
	if a.outcome != "" {
		acted := time.Now()
		if _, err := collect.AwaitSettled(ctx, p.world(false), time.Since(a.begun), true, settleLimits); err != nil &&
			ctx.Err() != nil {
			return annotation.Observation{}, context.Cause(ctx)
		}
		if p.hasFrame() {
			// A frame that does not answer is observed as it is.
			_, _ = collect.AwaitSettled(ctx, p.world(true), time.Since(a.begun), true, settleLimits)
		}
		settled = time.Since(acted)
	}
	now, err := p.takeSnapshot(ctx, a.wholePage)
	if err != nil {
		return annotation.Observation{}, p.explain(ctx, err)
	}
	ans := p.answer(ctx, a, now, settled)
	p.draw(ctx, now)
	return ans, nil
}

func (p *Page) hasFrame() bool {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.last != nil && p.last.framed
}

func (p *Page) answer(ctx context.Context, a *action, now *snapshot, settled time.Duration) annotation.Observation {
	seen := now
	if a.wholePage {
		now = now.inView()
	}
	p.s.mu.Lock()
	before, beforeWhole := p.last, p.whole
	p.s.mu.Unlock()
	changes, gone := p.compare(ctx, before, now)
	fresh := before == nil || before.main != now.main
	p.s.mu.Lock()
	if fresh || len(changes)+len(gone) > 0 {
		p.version++
	}
	p.last = now
	ans := annotation.Observation{
		Page:    annotation.Page{Title: p.name(), URL: p.Address(), Version: p.version},
		Outcome: a.outcome, Events: []annotation.Event{}, Elements: changes, Gone: gone, OnlyChanges: true,
		Above: now.Above, Below: now.Below, SettledMS: int(settled.Milliseconds()), Note: a.note,
	}
	if a.wholePage {
		p.whole = seen
		ans.Above, ans.Below = 0, 0
	}
	p.s.mu.Unlock()
	ids := make([]int, len(seen.Elements))
	for i, e := range seen.Elements {
		ids[i] = e.ID
	}
	p.s.cfg.Elements.RecordReported(ids)
	switch {
	case a.wholePage && !a.full && beforeWhole != nil && beforeWhole.main == seen.main:
		ans.Elements, ans.Gone = p.compare(ctx, beforeWhole, seen)
	case a.wholePage:
		ans.Elements, ans.Gone, ans.OnlyChanges = seen.Elements, nil, false
	case a.full || fresh:
		ans.Elements, ans.Gone, ans.OnlyChanges = now.Elements, nil, false
	}
	if ans.Elements == nil {
		ans.Elements = []annotation.Element{}
	}
	p.s.cfg.Elements.RecordRowsReported(ids)
	if now.frameSilent {
		add(&ans, "What the panel shows in its frame does not answer and is left out.")
	}
	return ans
}

func add(ans *annotation.Observation, text string) {
	if ans.Note != "" {
		ans.Note += " "
	}
	ans.Note += text
}

type target struct {
	p       *Page
	element identity.Element
	frame   bool
	w       collect.World
}

// on runs an action on the element id. It refuses an element that only the person may use.
func (p *Page) on(ctx context.Context, id int,
	do func(context.Context, *action, *target) error,
) (annotation.Observation, error) {
	return p.act(ctx, func(ctx context.Context, a *action) error {
		g, err := p.target(id)
		if err != nil {
			return err
		}
		if e, ok := p.Element(id); ok && personOnly(e) {
			return g.personOnlyFault()
		}
		if err := do(ctx, a, g); err != nil {
			return g.explain(err)
		}
		p.s.mu.Lock()
		p.inFrame = g.frame
		p.s.mu.Unlock()
		return nil
	})
}

func (p *Page) target(id int) (*target, error) {
	element, ok := p.s.cfg.Elements.Element(id)
	if ok && element.Tab == p.tab {
		if frame, alive := p.frameOf(element.Doc); alive {
			return &target{p: p, element: element, frame: frame, w: p.world(frame)}, nil
		}
	}
	return nil, &surface.Fault{
		Kind: surface.FaultGone, Message: fmt.Sprintf("[%d] is gone: the page of the panel %s was loaded again.", id,
			p.name()),
		Suggestion: "Call annotate_page.",
	}
}

// aim scrolls the element into view, waits until it can be pressed, and returns a point at which a press hits it.
// The error is a *surface.Fault if the element cannot be pressed.
func (t *target) aim(ctx context.Context) (collect.PressPoint, error) {
	pt, err := collect.Aim(ctx, t.w, t.element.Handle,
		collect.AimOptions{Scroll: true, PatienceMS: patience, Expectation: observe.ExpectationOf(t.element)})
	if err != nil {
		return pt, err
	}
	if !pt.Ready() {
		return pt, t.refusalFault(pt)
	}
	pt.X, pt.Y = limitPosition(pt.X), limitPosition(pt.Y)
	return pt, nil
}

// patience is in milliseconds.
const patience = 1500

// Elements in the frame are not for the person only.
func personOnly(e annotation.Element) bool {
	for _, s := range e.States {
		if s == PersonOnlyState && e.Frame == "" {
			return true
		}
	}
	return false
}

// PersonOnlyState is the state of an element that the assistant may see but not use.
const PersonOnlyState = "only you"

func (t *target) personOnlyFault() *surface.Fault {
	return &surface.Fault{
		Kind: surface.FaultBlocked,
		Message: fmt.Sprintf("%s is for the person only: what it does in Sextant's own window would count as "+
			"theirs. Nothing was done.", t.element.Label()),
		Suggestion: "Use the panel's own tools, or ask the person to do it.",
	}
}

// explain converts a refusal of the page to a fault that names the element. It returns other errors unchanged.
func (t *target) explain(err error) error {
	if refusal, ok := asRefusal(err); ok {
		if refusal.Message == "only the person may use it" && !t.frame {
			return t.personOnlyFault()
		}
		return &surface.Fault{
			Kind:       surface.FaultBlocked,
			Message:    fmt.Sprintf("%s: %s.", t.element.Label(), surface.Truncate(refusal.Message, 200)),
			Suggestion: "Call annotate_page to see what it takes.",
		}
	}
	return err
}

func (t *target) refusalFault(pt collect.PressPoint) error {
	pt.Detail, pt.CoveredByText = surface.Truncate(pt.Detail, 80), surface.Truncate(pt.CoveredByText, 80)
	pt.TextHash, pt.RowHash = surface.Truncate(pt.TextHash, 40), surface.Truncate(pt.RowHash, 40)
	gone := ""
	switch pt.State {
	case "gone":
		gone = "it was removed from the page"
	case "reused":
		gone = fmt.Sprintf("the page now uses its place for %q", pt.Detail)
	default:
		return observe.RefusalFault(t.p.s.cfg.Elements, t.element, pt)
	}
	return &surface.Fault{
		Kind: surface.FaultGone, Message: fmt.Sprintf("%s is gone: %s.", t.element.Label(), gone),
		Suggestion: "Call annotate_page.",
	}
}
