package panelpage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

type snapshot struct {
	identity.List
	// main is the registry's number of the page's own document, not of its frame's.
	main        int
	framed      bool
	frameSilent bool
}

func (p *Page) takeSnapshot(ctx context.Context, wholePage bool) (*snapshot, error) {
	raw, key, err := collect.CollectWindowPage(ctx, p.world(false), collect.Options{WholePage: wholePage})
	if err != nil {
		return nil, err
	}
	raw = limitDocument(raw)
	l := &snapshot{List: identity.List{ByID: map[int]int{}, Above: raw.Above, Below: raw.Below}}
	l.main = p.documentNumber(false, key)
	ids, err := p.assignIDs(ctx, false, l.main, raw)
	if err != nil {
		return nil, err
	}
	done := 0
	for _, f := range raw.Frames {
		if l.framed || !f.Visible {
			continue
		}
		// A panel has one frame. Its elements are listed at the frame's position.
		l.framed = true
		at := min(max(f.NodesBefore, 0), len(raw.Nodes))
		p.list(l, l.main, raw.Nodes[:at], ids[:at], framePlacement{})
		done = at
		if err := p.observeFrame(ctx, l, f, wholePage); err != nil {
			if stopped := context.Cause(ctx); stopped != nil {
				return nil, stopped
			}
			l.frameSilent = true
		}
	}
	p.list(l, l.main, raw.Nodes[done:], ids[done:], framePlacement{})
	return l, nil
}

// framePlacement is the position of a frame in the window, with its visible part in cut. in is false for the page
// itself, which needs no position.
type framePlacement struct {
	in   bool
	x, y float64
	cut  collect.Rect
}

func (p *Page) observeFrame(ctx context.Context, l *snapshot, f collect.RawFrame, wholePage bool) error {
	clip := collect.Rect{W: f.Clip.W, H: f.Clip.H, X: f.Clip.X - f.Box.X, Y: f.Clip.Y - f.Box.Y}
	o := collect.Options{WholePage: wholePage}
	if !wholePage {
		o.Clip = &clip
	}
	raw, key, err := collect.CollectWindowPage(ctx, p.world(true), o)
	if err != nil {
		return err
	}
	raw = limitDocument(raw)
	doc := p.documentNumber(true, key)
	ids, err := p.assignIDs(ctx, true, doc, raw)
	if err != nil {
		return err
	}
	l.Above += min(max(raw.Above, 0), maxNodes)
	l.Below += min(max(raw.Below, 0), maxNodes)
	p.list(l, doc, raw.Nodes, ids, framePlacement{in: true, x: f.Box.X, y: f.Box.Y, cut: f.Clip})
	return nil
}

func (p *Page) assignIDs(ctx context.Context, frame bool, doc int, raw collect.RawDocument) ([]int, error) {
	seen := make([]identity.Node, len(raw.Nodes))
	for i, n := range raw.Nodes {
		seen[i] = identity.Node{
			Handle: n.Handle, Key: n.Key, Role: n.Role, Name: n.Name, Origin: p.Address(), Secret: n.Secret,
			TextHash: n.TextHash, RowHash: n.RowHash, Born: n.Born,
		}
	}
	ids, _, err := p.s.cfg.Elements.Assign(p.tab, doc, raw.Now, seen, &probe{ctx, p.world(frame)})
	if err != nil {
		return nil, fmt.Errorf("numbering the page: %w", err)
	}
	return ids, nil
}

func (p *Page) list(l *snapshot, doc int, nodes []collect.RawNode, ids []int, at framePlacement) {
	for i, n := range nodes {
		e := annotation.Element{
			ID: ids[i], Role: n.Role, Name: n.Name, Value: n.Value, States: n.States, Usable: n.Usable,
			InView: n.InView, Group: n.Group,
			Box: annotation.Box{X: n.Box.X, Y: n.Box.Y, Width: n.Box.W, Height: n.Box.H},
		}
		if at.in {
			e.Frame = p.Address()
			e.Box = intersect(annotation.Box{X: at.x + n.Box.X, Y: at.y + n.Box.Y, Width: n.Box.W, Height: n.Box.H},
				at.cut)
			e.InView = e.InView && e.Box.Width > 0 && e.Box.Height > 0
		}
		if n.CoveredByText != "" {
			e.States = append(slices.Clone(e.States),
				annotation.CoverState(p.s.cfg.Elements.ID(doc, n.CoveredBy), n.CoveredByText))
		}
		if _, twice := l.ByID[e.ID]; twice {
			continue
		}
		l.ByID[e.ID] = len(l.Elements)
		l.Elements = append(l.Elements, e)
	}
}

func intersect(b annotation.Box, r collect.Rect) annotation.Box {
	x0, y0 := min(max(b.X, r.X), r.X+r.W), min(max(b.Y, r.Y), r.Y+r.H)
	x1, y1 := min(max(b.X+b.Width, r.X), r.X+r.W), min(max(b.Y+b.Height, r.Y), r.Y+r.H)
	return annotation.Box{X: x0, Y: y0, Width: x1 - x0, Height: y1 - y0}
}

type probe struct {
	ctx context.Context
	w   collect.World
}

// AreConnected implements identity.DocumentProbe.
func (p *probe) AreConnected(handles []int) ([]bool, error) {
	return collect.AreConnected(p.ctx, p.w, handles)
}

// KeyCounts implements identity.DocumentProbe.
func (p *probe) KeyCounts() (map[string]int, error) {
	raw, _, err := collect.CollectWindowPage(p.ctx, p.w, collect.Options{WholePage: true})
	if err != nil {
		return nil, err
	}
	raw = limitDocument(raw)
	keys := make(map[string]int, len(raw.Nodes))
	for _, n := range raw.Nodes {
		keys[n.Key]++
	}
	return keys, nil
}

// inView returns the part of a snapshot of the whole page that is visible without scrolling.
func (s *snapshot) inView() *snapshot {
	v := *s
	v.List = s.List.InView()
	return &v
}

func (p *Page) compare(ctx context.Context, before, now *snapshot) (changes []annotation.Element, gone []int) {
	if before == nil {
		return now.Elements, nil
	}
	return p.s.cfg.Elements.Compare(before.List, now.List, func(doc int, handles []int) ([]bool, bool) {
		frame, alive := p.frameOf(doc)
		if !alive {
			return nil, false
		}
		shown, err := collect.AreVisible(ctx, p.world(frame), handles)
		if err != nil {
			return nil, true
		}
		return shown, true
	})
}

// explain converts an error of the page to a *surface.Fault. If err is no fault yet and ctx ended for another reason
// than errNoAnswer, it returns the cause of ctx.
func (p *Page) explain(ctx context.Context, err error) error {
	var fault *surface.Fault
	var refusal *collect.Refusal
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.Is(err, errNoAnswer):
		return &surface.Fault{
			Kind: surface.FaultTimeout, Message: fmt.Sprintf("The page of the panel %s does not answer.", p.name()),
			Suggestion: "Wait and call annotate_page again, or use the panel's own tools.",
		}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refusal):
		return &surface.Fault{
			Kind: surface.FaultBlocked, Message: "The page does not allow it: " + surface.Truncate(refusal.Message,
				200) +
				".",
			Suggestion: "Call annotate_page to see what can be done.",
		}
	case errors.Is(err, collect.ErrGone):
		return &surface.Fault{
			Kind: surface.FaultGone, Message: "The element has left the page.",
			Suggestion: "Call annotate_page.",
		}
	}
	return &surface.Fault{
		Kind: surface.FaultNoPage, Message: fmt.Sprintf("The page of the panel %s gave an invalid answer.",
			p.name()),
		Suggestion: "Call annotate_page again, or use the panel's own tools.",
	}
}

var settleLimits = collect.SettleLimits{
	AfterOne: 60 * time.Millisecond, AfterSeveral: 150 * time.Millisecond,
	Max: 3 * time.Second,
}
