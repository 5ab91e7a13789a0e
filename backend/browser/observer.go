package browser

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
	"sextant/shared/annotator"
	"sextant/shared/event"
)

// Bounds of one snapshot: nested frames cannot make it endless.
const (
	maxFrames       = 60
	maxDepth        = 8
	frameTimeout    = 2 * time.Second
	snapshotTimeout = 8 * time.Second
)

// errUnresponsive ends what the page takes too long to answer.
var errUnresponsive = errors.New("the page does not answer")

// observer takes snapshots of one tab and numbers its elements. Its methods may be called concurrently.
type observer struct {
	tab      int
	elements *identity.Book
	page     func() *cdp.Page

	mu sync.Mutex
	// known is what earlier snapshots learnt of each document, by its number.
	known map[int]*collect.Known
}

// newObserver observes the tab with that number; page returns its page, nil while it has none.
func newObserver(tab int, elements *identity.Book, page func() *cdp.Page) *observer {
	return &observer{tab: tab, elements: elements, page: page, known: map[int]*collect.Known{}}
}

// look is what one look at a tab found. It is never changed after it was made.
type snapshot struct {
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

func (l *snapshot) marks() *event.Marks {
	elements := l.elements
	if elements == nil {
		elements = []annotator.Element{} // a list on the wire is never null
	}
	return &event.Marks{
		Page: l.page, Elements: elements, Above: l.above, Below: l.below,
		Width: l.width, Height: l.height, SettledMS: l.settled, On: true,
	}
}

// ids are the numbers of what was found.
func (l *snapshot) ids() []int {
	ids := make([]int, len(l.elements))
	for i, e := range l.elements {
		ids[i] = e.ID
	}
	return ids
}

// seer is one look in the making.
type seer struct {
	o    *observer
	opts collect.Options
	shot *snapshot
	seen map[int]bool
	// early is a look at the main document that was begun already, nil for none.
	early *collect.Ahead
}

// look takes a snapshot of all documents of the tab. The error is cdp.ErrClosed while the tab has no page.
func (o *observer) look(ctx context.Context, opts collect.Options) (*snapshot, error) {
	return o.lookAfter(ctx, opts, nil)
}

// lookAfter is look with an observation of the main document that was begun already, nil for none.
func (o *observer) lookAfter(ctx context.Context, opts collect.Options, early *collect.Ahead) (*snapshot, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, snapshotTimeout, errUnresponsive)
	defer cancel()
	var err error
	for range 3 {
		p := o.page()
		if p == nil {
			return nil, cdp.ErrClosed
		}
		s := &seer{
			o: o, opts: opts, seen: map[int]bool{}, early: early,
			shot: &snapshot{byID: map[int]int{}},
		}
		main := p.Main()
		if err = s.document(ctx, main, cdp.Place{ScaleX: 1, ScaleY: 1}, nil, 0); err == nil {
			o.prune(p)
			s.shot.main = main.Seq
			return s.shot, nil
		}
		// A page that navigates meanwhile is observed again.
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

// ahead begins an observation of a document before it is known whether one is needed; nil when too little is
// known of the document.
func (o *observer) ahead(ctx context.Context, doc *cdp.Document, opts collect.Options) *collect.Ahead {
	return o.knows(doc).Ahead(ctx, doc, opts)
}

// document finds a document of the tab by its number, nil when it is not there any more.
func (o *observer) document(seq int) *cdp.Document {
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
	raw, err := s.o.knows(doc).Look(ctx, doc, opts, early)
	if err != nil {
		return err
	}
	s.shot.docs = append(s.shot.docs, placed{doc, raw.Origin, at})
	frame := ""
	if depth == 0 {
		s.shot.page = annotator.Page{Title: raw.Title, URL: raw.URL, Tab: s.o.tab}
		s.shot.width, s.shot.height = raw.ViewW, raw.ViewH
	} else {
		frame = raw.URL
	}
	s.shot.above += raw.Above
	s.shot.below += raw.Below
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
	ids, rebound, err := s.o.elements.Number(s.o.tab, doc.Seq, raw.Now, seen, &asker{ctx, doc})
	if err != nil {
		return nil, fmt.Errorf("numbering the page: %w", err)
	}
	s.shot.rebound = append(s.shot.rebound, rebound...)
	return ids, nil
}

// add lists numbered nodes of a document.
func (s *seer) add(doc *cdp.Document, nodes []collect.RawNode, ids []int, at cdp.Place, frame string) {
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
			e.InView = e.InView && s.shot.shows(e.Box)
		}
		if n.CoveredByText != "" {
			e.States = append(slices.Clone(e.States), annotator.CoveredBy(s.o.elements.ID(doc.Seq, n.CoveredBy), n.CoveredByText))
		}
		s.shot.byID[e.ID] = len(s.shot.elements)
		s.shot.elements = append(s.shot.elements, e)
	}
}

// shows reports whether a part of b lies in the viewport.
func (l *snapshot) shows(b annotator.Box) bool {
	return b.X < l.width && b.Y < l.height && b.X+b.Width > 0 && b.Y+b.Height > 0
}

// child looks into a frame. One that does not answer is left out and told.
func (s *seer) child(ctx context.Context, doc *cdp.Document, f collect.RawFrame, at cdp.Place, clip *collect.Rect, depth int) {
	if len(s.seen) >= maxFrames || depth >= maxDepth || (!s.opts.WholePage && !f.Visible) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, frameTimeout)
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
		view := collect.Rect{W: s.shot.width, H: s.shot.height}
		if depth > 0 && clip != nil {
			view = *clip
		}
		seen := cut(view, f.Box, sx, sy)
		err = s.document(ctx, inner, place, &seen, depth+1)
	}
	if err != nil && !errors.Is(err, cdp.ErrReplaced) {
		s.shot.silent = append(s.shot.silent, f.Src)
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

// prune forgets the documents that have left the page.
func (o *observer) prune(p *cdp.Page) {
	alive := map[int]bool{}
	for _, d := range p.Documents() {
		alive[d.Seq] = true
	}
	o.mu.Lock()
	maps.DeleteFunc(o.known, func(doc int, _ *collect.Known) bool { return !alive[doc] })
	o.mu.Unlock()
	for _, doc := range o.elements.Documents(o.tab) {
		if !alive[doc] {
			o.elements.EndDocument(doc)
		}
	}
}

// knows is what is known of a document's listeners.
func (o *observer) knows(doc *cdp.Document) *collect.Known {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.known[doc.Seq]
	if k == nil {
		k = &collect.Known{}
		o.known[doc.Seq] = k
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
	return cdp.Decode[[]bool](raw)
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

// compare says which elements of now are new or different, and which numbers of before do
// not stand on the page any more. What was only scrolled out of sight is not gone.
func (o *observer) compare(ctx context.Context, before, now *snapshot) (changes []annotator.Element, gone []int) {
	if before == nil {
		return now.elements, nil
	}
	for _, e := range now.elements {
		i, was := before.byID[e.ID]
		if !was || annotator.Differs(before.elements[i], e) {
			e.Familiar = was && !annotator.Differs(annotator.Uncovered(before.elements[i]), annotator.Uncovered(e))
			changes = append(changes, e)
		}
	}
	away := map[int][]int{}
	for _, e := range before.elements {
		if _, still := now.byID[e.ID]; still {
			continue
		}
		thing, ok := o.elements.Thing(e.ID)
		if !ok {
			gone = append(gone, e.ID)
			continue
		}
		away[thing.Doc] = append(away[thing.Doc], e.ID)
	}
	for doc, ids := range away {
		gone = append(gone, o.vanished(ctx, doc, ids)...)
	}
	slices.Sort(gone)
	return changes, gone
}

// vanished are those of a document's numbers whose nodes are not in it any more or not shown.
func (o *observer) vanished(ctx context.Context, doc int, ids []int) []int {
	d := o.document(doc)
	if d == nil {
		return ids
	}
	handles := make([]int, len(ids))
	for i, id := range ids {
		thing, _ := o.elements.Thing(id)
		handles[i] = thing.Handle
	}
	alive, err := probe(ctx, d, handles, "n !== null && n.checkVisibility({ visibilityProperty: true })")
	if err != nil {
		return nil
	}
	var gone []int
	for i, id := range ids {
		if i < len(alive) && !alive[i] {
			gone = append(gone, id)
		}
	}
	return gone
}
