package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/shared/annotator"
	"sextant/shared/event"
)

// Bounds of one look: a page cannot make it endless by frames in frames.
const (
	maxFrames  = 60
	maxDepth   = 8
	frameLimit = 2 * time.Second
	lookLimit  = 8 * time.Second
)

// look is what one look at a tab found. It is never changed after it was made.
type look struct {
	page          annotator.Page
	elements      []annotator.Element
	byID          map[int]int
	above, below  int
	width, height float64
	settled       int
	// main is the number of the main document.
	main    int
	rebound []int
	// docs are the documents that were looked at.
	docs []placed
	// silent are frames that did not answer.
	silent []string
}

func (l *look) marks() *event.Marks {
	elements := l.elements
	if elements == nil {
		elements = []element{} // a list on the wire is never null
	}
	return &event.Marks{
		Page: l.page, Elements: elements, Above: l.above, Below: l.below,
		Width: l.width, Height: l.height, SettledMS: l.settled, On: true,
	}
}

// ids are the numbers of what was found.
func (l *look) ids() []int {
	ids := make([]int, len(l.elements))
	for i, e := range l.elements {
		ids[i] = e.ID
	}
	return ids
}

// seer is one look in the making.
type seer struct {
	t    *tab
	opts collect.Options
	look *look
	seen map[int]bool
	// early is a look at the main document that was begun already, nil for none.
	early *collect.Ahead
}

// see looks at all documents of the tab.
func (t *tab) see(ctx context.Context, opts collect.Options) (*look, error) {
	return t.seeAfter(ctx, opts, nil)
}

// seeAfter is see with a look at the main document that was begun already, nil for none.
func (t *tab) seeAfter(ctx context.Context, opts collect.Options, early *collect.Ahead) (*look, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lookLimit, errSilent)
	defer cancel()
	var err error
	for range 3 {
		t.s.b.mu.Lock()
		p := t.page
		t.s.b.mu.Unlock()
		if p == nil {
			return nil, errBrowserEnded
		}
		s := &seer{
			t: t, opts: opts, seen: map[int]bool{}, early: early,
			look: &look{byID: map[int]int{}},
		}
		main := p.Main()
		if err = s.document(ctx, main, cdp.Place{ScaleX: 1, ScaleY: 1}, nil, 0); err == nil {
			t.prune(p)
			s.look.main = main.Seq
			return s.look, nil
		}
		// A page that navigates in the middle of a look is looked at again.
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

var errSilent = errors.New("the page does not answer")

// document looks at one document and the frames in it. clip is the part of it that can be
// seen, nil for all.
func (s *seer) document(ctx context.Context, doc *cdp.Document, at cdp.Place, clip *collect.Rect, depth int) error {
	s.seen[doc.Seq] = true
	opts := s.opts
	if !opts.WholePage {
		opts.Clip = clip
	}
	early := s.early
	s.early = nil
	raw, err := s.t.knows(doc).Look(ctx, doc, opts, early)
	if err != nil {
		return err
	}
	s.look.docs = append(s.look.docs, placed{doc, raw.Origin, at})
	frame := ""
	if depth == 0 {
		s.look.page = annotator.Page{Title: raw.Title, URL: raw.URL, Tab: s.t.id}
		s.look.width, s.look.height = raw.ViewW, raw.ViewH
	} else {
		frame = raw.URL
	}
	s.look.above += raw.Above
	s.look.below += raw.Below
	ids, err := s.number(ctx, doc, raw)
	if err != nil {
		return err
	}
	// What stands in a frame is listed where the frame stands.
	done := 0
	for _, f := range raw.Frames {
		next := min(max(f.At, done), len(raw.Nodes))
		s.add(doc, raw.Nodes[done:next], ids[done:next], at, frame)
		done = next
		s.child(ctx, doc, f, at, clip, depth)
	}
	s.add(doc, raw.Nodes[done:], ids[done:], at, frame)
	return nil
}

// number gives the nodes of a document their ids.
func (s *seer) number(ctx context.Context, doc *cdp.Document, raw collect.Raw) ([]int, error) {
	nodes := raw.Nodes
	seen := make([]identity.Seen, len(nodes))
	for i, n := range nodes {
		seen[i] = identity.Seen{
			Handle: n.Handle, Key: n.Key, Role: n.Role, Name: n.Name, Origin: raw.Origin, Secret: n.Secret,
			Sign: n.Sign, Row: n.Row, Born: n.Born,
		}
	}
	b := s.t.s.b
	ids, rebound, err := b.book.Number(s.t.id, doc.Seq, raw.Now, seen, &asker{ctx, doc})
	if err != nil {
		return nil, fmt.Errorf("numbering the page: %w", err)
	}
	s.look.rebound = append(s.look.rebound, rebound...)
	return ids, nil
}

// add lists numbered nodes of a document.
func (s *seer) add(doc *cdp.Document, nodes []collect.RawNode, ids []int, at cdp.Place, frame string) {
	b := s.t.s.b
	for i, n := range nodes {
		e := annotator.Element{
			ID: ids[i], Role: n.Role, Name: n.Name, Value: n.Value, States: n.States,
			Frame: frame, Usable: n.Usable, InView: n.InView, Group: n.Group,
			Box: annotator.Box{
				X: at.X + n.Box.X*at.ScaleX, Y: at.Y + n.Box.Y*at.ScaleY,
				Width: n.Box.W * at.ScaleX, Height: n.Box.H * at.ScaleY,
			},
		}
		if frame != "" {
			// A frame may lie out of sight itself.
			e.InView = e.InView && s.look.shows(e.Box)
		}
		if n.CoveredByText != "" {
			e.States = append(slices.Clone(e.States), annotator.CoveredBy(b.book.ID(doc.Seq, n.CoveredBy), n.CoveredByText))
		}
		s.look.byID[e.ID] = len(s.look.elements)
		s.look.elements = append(s.look.elements, e)
	}
}

// shows reports whether a part of b lies in the viewport.
func (l *look) shows(b annotator.Box) bool {
	return b.X < l.width && b.Y < l.height && b.X+b.Width > 0 && b.Y+b.Height > 0
}

// child looks into a frame. One that does not answer is left out and told.
func (s *seer) child(ctx context.Context, doc *cdp.Document, f collect.RawFrame, at cdp.Place, clip *collect.Rect, depth int) {
	if len(s.seen) >= maxFrames || depth >= maxDepth || (!s.opts.WholePage && !f.Visible) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, frameLimit)
	defer cancel()
	inner, err := doc.Child(ctx, f.Handle, collect.NodeExpression(f.Handle))
	if err == nil && (inner == nil || s.seen[inner.Seq]) {
		return
	}
	if err == nil {
		sx, sy := scale(f.ScaleX), scale(f.ScaleY)
		place := cdp.Place{
			X: at.X + f.Box.X*at.ScaleX, Y: at.Y + f.Box.Y*at.ScaleY,
			ScaleX: at.ScaleX * sx, ScaleY: at.ScaleY * sy,
		}
		view := collect.Rect{W: s.look.width, H: s.look.height}
		if depth > 0 && clip != nil {
			view = *clip
		}
		seen := cut(view, f.Box, sx, sy)
		err = s.document(ctx, inner, place, &seen, depth+1)
	}
	if err != nil && !errors.Is(err, cdp.ErrReplaced) {
		s.look.silent = append(s.look.silent, f.Src)
	}
}

func scale(v float64) float64 {
	if v <= 0 {
		return 1
	}
	return v
}

// cut is the part of a frame's viewport that can be seen through view, in the frame's pixels.
func cut(view, box collect.Rect, sx, sy float64) collect.Rect {
	x0, y0 := max(view.X, box.X), max(view.Y, box.Y)
	x1, y1 := min(view.X+view.W, box.X+box.W), min(view.Y+view.H, box.Y+box.H)
	return collect.Rect{
		X: (x0 - box.X) / sx, Y: (y0 - box.Y) / sy,
		W: max(0, x1-x0) / sx, H: max(0, y1-y0) / sy,
	}
}

// prune forgets the documents that stand nowhere any more.
func (t *tab) prune(p *cdp.Page) {
	alive := map[int]bool{}
	for _, d := range p.Documents() {
		alive[d.Seq] = true
	}
	t.set(func() { maps.DeleteFunc(t.known, func(doc int, _ *collect.Known) bool { return !alive[doc] }) })
	for _, doc := range t.s.b.book.Documents(t.id) {
		if !alive[doc] {
			t.s.b.book.EndDocument(doc)
		}
	}
}

// knows is what is known of a document's listeners.
func (t *tab) knows(doc *cdp.Document) *collect.Known {
	t.s.b.mu.Lock()
	defer t.s.b.mu.Unlock()
	k := t.known[doc.Seq]
	if k == nil {
		k = &collect.Known{}
		if t.known == nil {
			t.known = map[int]*collect.Known{}
		}
		t.known[doc.Seq] = k
	}
	return k
}

// asker answers the book's questions about a document.
type asker struct {
	ctx context.Context
	doc *cdp.Document
}

// Connected implements identity.Asker.
func (a *asker) Connected(handles []int) ([]bool, error) {
	return probe(a.ctx, a.doc, handles, "n !== null")
}

// probe asks a question, a JavaScript expression over n (null when it is not in the document
// any more), about each handle's node.
func probe(ctx context.Context, doc *cdp.Document, handles []int, question string) ([]bool, error) {
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
	return decodeJSON[[]bool](raw)
}

// Keys implements identity.Asker.
func (a *asker) Keys() (map[string]int, error) {
	raw, err := collect.Look(a.ctx, a.doc, collect.Options{WholePage: true})
	if err != nil {
		return nil, err
	}
	keys := make(map[string]int, len(raw.Nodes))
	for _, n := range raw.Nodes {
		keys[n.Key]++
	}
	return keys, nil
}
