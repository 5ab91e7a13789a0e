package browser

import (
	"context"
	"sync"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/settle"
)

// maxAsked bounds the documents that are asked for their rest.
const maxAsked = 4

// calmPatience is what the changes of a document are given: one frame after a single change, two
// between several, and a bound after which what else goes on is looked at.
func calmPatience() collect.Patience {
	return collect.Patience{Once: 16 * time.Millisecond, Several: 32 * time.Millisecond, Limit: 100 * time.Millisecond}
}

// rester asks the documents that an action touched how quiet they are.
func (a *action) rester() func(context.Context, bool) (settle.Rest, error) {
	return func(ctx context.Context, draw bool) (settle.Rest, error) {
		docs := a.touched()
		if len(docs) == 0 {
			return settle.Rest{}, errBrowserEnded
		}
		if a.asked++; a.asked == 1 && !a.acted && !draw {
			// Most pages rest; then what they answer to both holds for the same moment.
			a.t.set(func() { a.t.stale = false })
			a.early = a.t.observer.ahead(ctx, docs[0], a.options())
		}
		ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Second, errUnresponsive)
		defer cancel()
		since := a.watch.Since()
		calm := make([]collect.Calm, len(docs))
		errs := make([]error, len(docs))
		var wg sync.WaitGroup
		for i, d := range docs[1:] {
			wg.Go(func() { calm[i+1], errs[i+1] = collect.CalmOf(ctx, d, since, draw, calmPatience()) })
		}
		calm[0], errs[0] = collect.CalmOf(ctx, docs[0], since, draw, calmPatience())
		wg.Wait()
		var r settle.Rest
		for i, c := range calm {
			if errs[i] != nil {
				return settle.Rest{}, errs[i]
			}
			r.Changing = r.Changing || !c.Over
			r.Mutations += c.Mutations
			r.Animations += c.Animations
		}
		return r, nil
	}
}

// touched are the main document, the one that was acted on as it is now, and those that came
// since the action began.
func (a *action) touched() []*cdp.Document {
	a.t.s.b.Lock()
	p := a.t.page
	a.t.s.b.Unlock()
	if p == nil {
		return nil
	}
	docs := []*cdp.Document{p.Main()}
	add := func(d *cdp.Document) {
		if d == nil || len(docs) >= maxAsked {
			return
		}
		for _, have := range docs {
			if have == d {
				return
			}
		}
		docs = append(docs, d)
	}
	if a.doc != nil {
		add(p.Current(a.doc))
	}
	if fresh := a.watch.Frames(); len(fresh) > 0 {
		for _, d := range p.Documents() {
			for _, frame := range fresh {
				if d.Frame() == frame {
					add(d)
				}
			}
		}
	}
	return docs
}
