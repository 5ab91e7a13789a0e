package browser

import (
	"context"
	"slices"
	"sync"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
)

// Who follows a page is told at most once in followBeat; a change is given followJoin to be over, and
// what no signal tells of (another tab that was selected) shows within followMost.
const (
	followBeat = time.Second
	followJoin = 200 * time.Millisecond
	followMost = 2 * time.Second
	// maxFollowed bounds the documents of a page that are followed.
	maxFollowed = 8
)

// scene is what stands in front of a session, as far as it takes to see that it is another.
type scene struct {
	tab    *tab
	url    string
	docs   []*cdp.Document
	counts []int
}

func (s scene) same(o scene) bool {
	return s.tab == o.tab && s.url == o.url && slices.Equal(s.docs, o.docs) && slices.Equal(s.counts, o.counts)
}

// Follow calls changed after the page in front has become another one or its documents have
// changed, once a second at most, until ctx ends or the browser is closed. It starts no Chromium,
// and waits for no action and no action for it. changed is called by this goroutine.
func (s *Session) Follow(ctx context.Context, changed func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.b.Stopped():
			cancel()
		case <-ctx.Done():
		}
	}()
	was, _, _ := s.scene(ctx)
	for ctx.Err() == nil {
		now, signal, news := s.scene(ctx)
		if ctx.Err() != nil {
			return
		}
		if !now.same(was) {
			was = now
			changed()
			idle(ctx, followBeat)
			continue
		}
		now.wait(ctx, signal, news)
		idle(ctx, followJoin)
	}
}

// scene looks at what is in front now, with what tells of other tabs and of what the page loads.
func (s *Session) scene(ctx context.Context) (now scene, signal, news <-chan struct{}) {
	s.b.Lock()
	signal, now.tab = s.b.changed, s.active
	var page *cdp.Page
	if t := s.active; t != nil && t.page != nil && t.dialog == nil {
		page, now.url, news = t.page, t.url, t.tracker.Changed()
	}
	s.b.Unlock()
	if page == nil {
		return now, signal, nil
	}
	now.docs = page.Documents()
	now.docs = now.docs[:min(len(now.docs), maxFollowed)]
	now.counts = make([]int, len(now.docs))
	var asking sync.WaitGroup
	for i, doc := range now.docs {
		asking.Go(func() {
			bounded, cancel := context.WithTimeout(ctx, frameTimeout)
			defer cancel()
			r, err := collect.RestOf(bounded, doc)
			if now.counts[i] = r.Mutations; err != nil {
				now.counts[i] = -1
			}
		})
	}
	asking.Wait()
	return now, signal, news
}

// wait returns when something tells that the scene may be another, or after a while.
func (s scene) wait(ctx context.Context, signal, news <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, followMost)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	stirs := make(chan struct{}, len(s.docs))
	for i, doc := range s.docs {
		if s.counts[i] < 0 {
			continue
		}
		asking.Go(func() {
			if _, err := doc.Call(ctx, stirred, s.counts[i], followMost.Milliseconds(), 0); err == nil {
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

// idle waits, unless ctx ends.
func idle(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
