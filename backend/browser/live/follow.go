package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
)

// A callback of Follow is called at most once per followInterval, and followDebounce after a change, so that several
// changes cause one call. followPoll bounds the delay for changes without an event, such as the selection of another
// tab.
const (
	followInterval = time.Second
	followDebounce = 200 * time.Millisecond
	followPoll     = 2 * time.Second
	maxFollowed    = 8
)

type frontState struct {
	tab    *page.Tab
	url    string
	docs   []*cdp.Document
	counts []int
}

func (s frontState) same(o frontState) bool {
	return s.tab == o.tab && s.url == o.url && slices.Equal(s.docs, o.docs) && slices.Equal(s.counts, o.counts)
}

// Follow calls changed after another page has come to the front or its documents have changed, at most once a second,
// until ctx ends or the browser is closed. It runs changed on the calling goroutine. It does not start Chromium.
func Follow(ctx context.Context, s *page.Session, changed func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.Manager.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	was, _, _ := readFront(ctx, s)
	for ctx.Err() == nil {
		now, signal, loads := readFront(ctx, s)
		if ctx.Err() != nil {
			return
		}
		if !now.same(was) {
			was = now
			changed()
			sleep(ctx, followInterval)
			continue
		}
		now.awaitChange(ctx, signal, loads)
		sleep(ctx, followDebounce)
	}
}

func readFront(ctx context.Context, s *page.Session) (now frontState, signal, loads <-chan struct{}) {
	s.Manager.Lock()
	signal, now.tab = s.Manager.Changed, s.Active
	var page *cdp.Page
	if t := s.Active; t != nil && t.Page != nil && t.Dialog == nil {
		page, now.url, loads = t.Page, t.URL, t.Tracker.Changed()
	}
	s.Manager.Unlock()
	if page == nil {
		return now, signal, nil
	}
	now.docs = page.Documents()
	now.docs = now.docs[:min(len(now.docs), maxFollowed)]
	now.counts = make([]int, len(now.docs))
	var asking sync.WaitGroup
	for i, doc := range now.docs {
		asking.Go(func() {
			bounded, cancel := context.WithTimeout(ctx, observe.FrameTimeout)
			defer cancel()
			r, err := collect.ActivityOf(bounded, doc)
			if now.counts[i] = r.Mutations; err != nil {
				now.counts[i] = -1
			}
		})
	}
	asking.Wait()
	return now, signal, loads
}

func (s frontState) awaitChange(ctx context.Context, signal, loads <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, followPoll)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	mutated := make(chan struct{}, len(s.docs))
	for i, doc := range s.docs {
		if s.counts[i] < 0 {
			continue
		}
		asking.Go(func() {
			if _, err := doc.Call(ctx, observe.AwaitMutationScript, s.counts[i], followPoll.Milliseconds(),
				0); err == nil {
				mutated <- struct{}{}
			}
		})
	}
	select {
	case <-mutated:
	case <-signal:
	case <-loads:
	case <-ctx.Done():
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
