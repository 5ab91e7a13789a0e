package page

import (
	"context"
	"sync"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/settle"
)

const maxPolledDocuments = 4

func settleLimits() collect.SettleLimits {
	return collect.SettleLimits{
		AfterOne: 16 * time.Millisecond, AfterSeveral: 32 * time.Millisecond,
		Max: 100 * time.Millisecond,
	}
}

// ActivityFunc returns a function for Watch.Wait that asks documents of the tab whether they have settled.
func (a *Action) ActivityFunc() func(context.Context, bool) (settle.Activity, error) {
	return func(ctx context.Context, draw bool) (settle.Activity, error) {
		docs := a.touchedDocuments()
		if len(docs) == 0 {
			return settle.Activity{}, ErrBrowserEnded
		}
		if a.polls++; a.polls == 1 && !a.Acted && !draw {
			// If the page turns out to be settled, the snapshot can use this collection.
			a.Tab.WithLock(func() { a.Tab.Stale = false })
			a.speculative = a.Tab.Observer.Speculate(ctx, docs[0], a.options())
		}
		ctx, cancel := context.WithTimeoutCause(ctx, 3*time.Second, observe.ErrUnresponsive)
		defer cancel()
		since := a.Watch.ChangeWindow()
		states := make([]collect.SettleState, len(docs))
		errs := make([]error, len(docs))
		var wg sync.WaitGroup
		for i, d := range docs[1:] {
			wg.Go(func() { states[i+1], errs[i+1] = collect.AwaitSettled(ctx, d, since, draw, settleLimits()) })
		}
		states[0], errs[0] = collect.AwaitSettled(ctx, docs[0], since, draw, settleLimits())
		wg.Wait()
		var r settle.Activity
		for i, c := range states {
			if errs[i] != nil {
				return settle.Activity{}, errs[i]
			}
			r.Changing = r.Changing || !c.Settled
			r.Mutations += c.Mutations
			r.Animations += c.Animations
		}
		return r, nil
	}
}

func (a *Action) touchedDocuments() []*cdp.Document {
	a.Tab.Session.Manager.Lock()
	p := a.Tab.Page
	a.Tab.Session.Manager.Unlock()
	if p == nil {
		return nil
	}
	docs := []*cdp.Document{p.MainDocument()}
	add := func(d *cdp.Document) {
		if d == nil || len(docs) >= maxPolledDocuments {
			return
		}
		for _, have := range docs {
			if have == d {
				return
			}
		}
		docs = append(docs, d)
	}
	if a.Document != nil {
		add(p.CurrentDocument(a.Document))
	}
	if fresh := a.Watch.NavigatedFrames(); len(fresh) > 0 {
		for _, d := range p.Documents() {
			for _, frame := range fresh {
				if d.FrameID() == frame {
					add(d)
				}
			}
		}
	}
	return docs
}
