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

// A follower is called at most once in followInterval; a change is given followDebounce to be over, and
// what no event reports (another tab that was selected) is seen within followPoll.
const (
	followInterval = time.Second
	followDebounce = 200 * time.Millisecond
	followPoll     = 2 * time.Second
	// maxFollowed bounds the documents of a page that are followed.
	maxFollowed = 8
)

// frontState is what is in front of a session, as far as it takes to see that it has changed.
type frontState struct {
	tab    *page.Tab
	url    string
	docs   []*cdp.Document
	counts []int
}

func (s frontState) same(o frontState) bool {
	return s.tab == o.tab && s.url == o.url && slices.Equal(s.docs, o.docs) && slices.Equal(s.counts, o.counts)
}

// Follow calls changed after the page in front has become another one or its documents have
// changed, once a second at most, until ctx ends or the browser is closed. It starts no Chromium,
// and waits for no action and no action for it. changed is called by this goroutine.
func Follow(ctx context.Context, s *page.Session, changed func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.Manager.Stopped():
			cancel()
		case <-ctx.Done():
		}
	}()
	was, _, _ := readFront(ctx, s)
	for ctx.Err() == nil {
		now, signal, news := readFront(ctx, s)
		if ctx.Err() != nil {
			return
		}
		if !now.same(was) {
			was = now
			changed()
			sleep(ctx, followInterval)
			continue
		}
		now.awaitChange(ctx, signal, news)
		sleep(ctx, followDebounce)
	}
}

// readFront reads what is in front now, with channels that signal other tabs and loads of the page.
func readFront(ctx context.Context, s *page.Session) (now frontState, signal, news <-chan struct{}) {
	s.Manager.Lock()
	signal, now.tab = s.Manager.Changed, s.Active
	var page *cdp.Page
	if t := s.Active; t != nil && t.Page != nil && t.Dialog == nil {
		page, now.url, news = t.Page, t.URL, t.Tracker.Changed()
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
	return now, signal, news
}

// awaitChange returns when something signals that the state may have changed, or after a while.
func (s frontState) awaitChange(ctx context.Context, signal, news <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, followPoll)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	stirs := make(chan struct{}, len(s.docs))
	for i, doc := range s.docs {
		if s.counts[i] < 0 {
			continue
		}
		asking.Go(func() {
			if _, err := doc.Call(ctx, observe.AwaitMutationScript, s.counts[i], followPoll.Milliseconds(),
				0); err == nil {
				stirs <- struct{}{}
			}
		})
	}
	select {
	case <-stirs:
	case <-signal:
	case <-news:
	case <-ctx.Done():
	}
}

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
