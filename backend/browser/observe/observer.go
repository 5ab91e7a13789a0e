// Package observe takes snapshots of a tab: the numbered elements of its documents, with their boxes in the viewport of
// the top page. The packages below it are collect (the script in the page), identity (the numbers) and settle (waiting
// until a page has settled).
package observe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/shared/annotation"
)

// Limits of one snapshot: its documents, how deep frames are nested, and the time of one frame (with those in it)
// and of all.
const (
	MaxFrames       = 60
	MaxDepth        = 8
	FrameTimeout    = 2 * time.Second
	SnapshotTimeout = 8 * time.Second
)

// ErrUnresponsive is the cause when the page takes too long to answer.
var ErrUnresponsive = errors.New("the page does not answer")

// Observer takes snapshots of one tab and numbers its elements. Its methods may be called concurrently.
type Observer struct {
	tab      int
	elements *identity.ElementRegistry
	page     func() *cdp.Page

	mu sync.Mutex
	// cache is keyed by the numbers of documents.
	cache map[int]*collect.ListenerCache
}

// NewObserver returns an Observer of the tab with that number. page returns the tab's page, nil while it has none.
func NewObserver(tab int, elements *identity.ElementRegistry, page func() *cdp.Page) *Observer {
	return &Observer{tab: tab, elements: elements, page: page, cache: map[int]*collect.ListenerCache{}}
}

type builder struct {
	observer    *Observer
	opts        collect.Options
	snapshot    *Snapshot
	seen        map[int]bool
	speculative *collect.Speculation
}

// Snapshot observes the documents of the tab. The error is cdp.ErrClosed while the tab has no page.
func (o *Observer) Snapshot(ctx context.Context, opts collect.Options) (*Snapshot, error) {
	return o.SnapshotWith(ctx, opts, nil)
}

// SnapshotWith is like Snapshot, but uses early, a collection of the main document that has already started, nil for
// none.
func (o *Observer) SnapshotWith(ctx context.Context, opts collect.Options, early *collect.Speculation) (*Snapshot,
	error,
) {
	ctx, cancel := context.WithTimeoutCause(ctx, SnapshotTimeout, ErrUnresponsive)
	defer cancel()
	var err error
	for range 3 {
		p := o.page()
		if p == nil {
			return nil, cdp.ErrClosed
		}
		s := &builder{
			observer: o, opts: opts, seen: map[int]bool{}, speculative: early,
			snapshot: &Snapshot{List: identity.List{ByID: map[int]int{}}},
		}
		main := p.MainDocument()
		if err = s.document(ctx, main, cdp.Placement{ScaleX: 1, ScaleY: 1}, nil, 0); err == nil {
			o.prune(p)
			s.snapshot.MainDocument = main.Seq
			return s.snapshot, nil
		}
		// A page that navigated in the meantime is observed again.
		if !errors.Is(err, cdp.ErrReplaced) {
			break
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return nil, err
}

// Speculate starts a collection of a document before it is known whether one is needed. It returns nil when the
// document was not collected before or is too large.
func (o *Observer) Speculate(ctx context.Context, doc *cdp.Document, opts collect.Options) *collect.Speculation {
	return o.listeners(doc).Speculate(ctx, doc, opts)
}

// Document returns the tab's document with the number seq, nil for none.
func (o *Observer) Document(seq int) *cdp.Document {
	p := o.page()
	if p == nil {
		return nil
	}
	for _, d := range p.Documents() {
		if d.Seq == seq {
			return d
		}
	}
	return nil
}

// document observes a document and the frames in it. clip is its visible part, nil for all of it.
func (b *builder) document(ctx context.Context, doc *cdp.Document, at cdp.Placement, clip *collect.Rect,
	depth int,
) error {
	b.seen[doc.Seq] = true
	opts := b.opts
	if !opts.WholePage {
		opts.Clip = clip
	}
	early := b.speculative
	b.speculative = nil
	raw, err := b.observer.listeners(doc).Collect(ctx, doc, opts, early)
	if err != nil {
		return err
	}
	b.snapshot.Documents = append(b.snapshot.Documents, PlacedDocument{doc, raw.Origin, at})
	frame := ""
	if depth == 0 {
		b.snapshot.Page = annotation.Page{Title: raw.Title, URL: raw.URL, Tab: b.observer.tab}
		b.snapshot.Width, b.snapshot.Height = raw.ViewW, raw.ViewH
	} else {
		frame = raw.URL
	}
	b.snapshot.Above += raw.Above
	b.snapshot.Below += raw.Below
	ids, err := b.number(ctx, doc, raw)
	if err != nil {
		return err
	}
	// The elements of a frame are listed at the frame's position.
	done := 0
	for _, f := range raw.Frames {
		next := min(max(f.NodesBefore, done), len(raw.Nodes))
		b.add(doc, raw.Nodes[done:next], ids[done:next], at, frame)
		done = next
		b.child(ctx, doc, f, at, clip, depth)
	}
	b.add(doc, raw.Nodes[done:], ids[done:], at, frame)
	return nil
}

func (b *builder) number(ctx context.Context, doc *cdp.Document, raw collect.RawDocument) ([]int, error) {
	nodes := raw.Nodes
	seen := make([]identity.Node, len(nodes))
	for i, n := range nodes {
		seen[i] = identity.Node{
			Handle: n.Handle, Key: n.Key, Role: n.Role, Name: n.Name, Origin: raw.Origin, Secret: n.Secret,
			Submits:  n.Submits,
			TextHash: n.TextHash, RowHash: n.RowHash, Born: n.Born,
		}
	}
	ids, rebound, err := b.observer.elements.Assign(b.observer.tab, doc.Seq, raw.Now, seen, &probe{ctx, doc})
	if err != nil {
		return nil, fmt.Errorf("numbering the page: %w", err)
	}
	b.snapshot.rebound = append(b.snapshot.rebound, rebound...)
	return ids, nil
}

func (b *builder) add(doc *cdp.Document, nodes []collect.RawNode, ids []int, at cdp.Placement, frame string) {
	for i, n := range nodes {
		e := annotation.Element{
			ID: ids[i], Role: n.Role, Name: n.Name, Value: n.Value, States: n.States,
			Frame: frame, Usable: n.Usable, InView: n.InView, Group: n.Group,
			Box: annotation.Box{
				X: at.X + n.Box.X*at.ScaleX, Y: at.Y + n.Box.Y*at.ScaleY,
				Width: n.Box.W * at.ScaleX, Height: n.Box.H * at.ScaleY,
			},
		}
		if frame != "" {
			// The frame itself may be out of view.
			e.InView = e.InView && b.snapshot.shows(e.Box)
		}
		if n.CoveredByText != "" {
			e.States = append(slices.Clone(e.States),
				annotation.CoverState(b.observer.elements.ID(doc.Seq, n.CoveredBy), n.CoveredByText))
		}
		b.snapshot.ByID[e.ID] = len(b.snapshot.Elements)
		b.snapshot.Elements = append(b.snapshot.Elements, e)
	}
}

func (b *builder) child(ctx context.Context, doc *cdp.Document, f collect.RawFrame, at cdp.Placement,
	clip *collect.Rect, depth int,
) {
	if len(b.seen) >= MaxFrames || depth >= MaxDepth || (!b.opts.WholePage && !f.Visible) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, FrameTimeout)
	defer cancel()
	inner, err := doc.Child(ctx, f.Handle, collect.NodeExpression(f.Handle))
	if err == nil && (inner == nil || b.seen[inner.Seq]) {
		return
	}
	if err == nil {
		sx, sy := scaleOr1(f.ScaleX), scaleOr1(f.ScaleY)
		place := cdp.Placement{
			X: at.X + f.Box.X*at.ScaleX, Y: at.Y + f.Box.Y*at.ScaleY,
			ScaleX: at.ScaleX * sx, ScaleY: at.ScaleY * sy,
		}
		view := collect.Rect{W: b.snapshot.Width, H: b.snapshot.Height}
		if depth > 0 && clip != nil {
			view = *clip
		}
		seen := visiblePart(view, f.Box, sx, sy)
		err = b.document(ctx, inner, place, &seen, depth+1)
	}
	if err != nil && !errors.Is(err, cdp.ErrReplaced) {
		b.snapshot.UnresponsiveFrames = append(b.snapshot.UnresponsiveFrames, f.Src)
	}
}

func scaleOr1(v float64) float64 {
	if v <= 0 {
		return 1
	}
	return v
}

// visiblePart returns the part of a frame's viewport that is visible in view, in the frame's own pixels.
func visiblePart(view, box collect.Rect, sx, sy float64) collect.Rect {
	x0, y0 := max(view.X, box.X), max(view.Y, box.Y)
	x1, y1 := min(view.X+view.W, box.X+box.W), min(view.Y+view.H, box.Y+box.H)
	return collect.Rect{
		X: (x0 - box.X) / sx, Y: (y0 - box.Y) / sy,
		W: max(0, x1-x0) / sx, H: max(0, y1-y0) / sy,
	}
}

func (o *Observer) prune(p *cdp.Page) {
	alive := map[int]bool{}
	for _, d := range p.Documents() {
		alive[d.Seq] = true
	}
	o.mu.Lock()
	maps.DeleteFunc(o.cache, func(doc int, _ *collect.ListenerCache) bool { return !alive[doc] })
	o.mu.Unlock()
	for _, doc := range o.elements.Documents(o.tab) {
		if !alive[doc] {
			o.elements.EndDocument(doc)
		}
	}
}

func (o *Observer) listeners(doc *cdp.Document) *collect.ListenerCache {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.cache[doc.Seq]
	if k == nil {
		k = &collect.ListenerCache{}
		o.cache[doc.Seq] = k
	}
	return k
}

type probe struct {
	ctx context.Context
	doc *cdp.Document
}

func (p *probe) AreConnected(handles []int) ([]bool, error) {
	return askNodes(p.ctx, p.doc, handles, "n !== null")
}

// askNodes evaluates question, a JavaScript expression over the node n (null when it has left the document), for each
// handle.
func askNodes(ctx context.Context, doc *cdp.Document, handles []int, question string) ([]bool, error) {
	var js strings.Builder
	js.WriteString("function () { return [")
	for _, h := range handles {
		js.WriteString("(" + collect.NodeExpression(h) + ")(),")
	}
	js.WriteString("].map((n) => " + question + ") }")
	raw, err := doc.Call(ctx, js.String())
	if err != nil {
		return nil, err
	}
	return cdp.Decode[[]bool](raw)
}

func (p *probe) KeyCounts() (map[string]int, error) {
	raw, err := collect.Collect(p.ctx, p.doc, collect.Options{WholePage: true})
	if err != nil {
		return nil, err
	}
	keys := make(map[string]int, len(raw.Nodes))
	for _, n := range raw.Nodes {
		keys[n.Key]++
	}
	return keys, nil
}

// AwaitMutationScript is a JavaScript function. Its promise resolves join ms after the document's count of mutations
// is no longer since, and after most ms at the latest.
const AwaitMutationScript = `function (since, most, join) {
  return new Promise((done) => {
    const s = globalThis.__sextant
    const end = () => { watch.disconnect(); clearTimeout(late); done(true) }
    const soon = () => { watch.disconnect(); setTimeout(end, join) }
    const watch = new MutationObserver(soon)
    const late = setTimeout(end, most)
    if (!s || s.rest().mutations !== since) return soon()
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  })
}`
