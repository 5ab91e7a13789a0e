package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
)

// maxSpeculative is how many elements a document may have for a speculative collection: in a larger one a
// wasted collection costs more than the round trips it would have saved.
const maxSpeculative = 5000

// ListenerCache caches what the last collection learnt of a document's listeners, which rarely change
// between two collections. With it the next collection asks for everything at once, speculatively, and
// then checks whether the cache was right. The zero value is empty. Its methods may be called
// concurrently.
type ListenerCache struct {
	mu   sync.Mutex
	last listenerFacts
}

// listenerFacts is what one collection learnt. It is never changed after it was made.
type listenerFacts struct {
	// listeners is the browser's answer, nil when nothing is known; ids, count and root are what
	// it says.
	listeners json.RawMessage
	ids       string
	count     int
	delegated bool
	// scanned is what the page's own world said when it was asked, nil when it was not, and
	// scan the same read.
	scanned json.RawMessage
	scan    listenerScan
	walked  int
}

// Speculation is a speculative collection that is under way.
type Speculation struct {
	world   World
	options Options
	assumed listenerFacts
	asking  sync.WaitGroup

	listeners, scanned json.RawMessage
	text               string
	err                [3]error
}

// Speculate begins a collection of w with the cached facts; nil when too little is known or too much would be asked
// for.
// The end of ctx ends it. What it finds changes nothing, so that it may be dropped.
func (l *ListenerCache) Speculate(ctx context.Context, w World, o Options) *Speculation {
	l.mu.Lock()
	trust := l.last
	l.mu.Unlock()
	if trust.listeners == nil || trust.walked > maxSpeculative {
		return nil
	}
	a := &Speculation{world: w, options: o, assumed: trust}
	var answer any
	a.asking.Go(func() { a.listeners, a.err[0] = w.Listeners(ctx) })
	if trust.scanned != nil {
		answer = trust.scan
		a.asking.Go(func() { a.scanned, a.err[1] = evalListeners(ctx, w, "scan", trust.count) })
	}
	a.asking.Go(func() { a.text, a.err[2] = runCollector(ctx, w, o, trust.ids, trust.delegated, answer, "peek") })
	return a
}

// result waits for the collection and returns what it found, false when the cached facts were out of date.
func (s *Speculation) result() (RawDocument, bool) {
	s.asking.Wait()
	for _, err := range s.err {
		if err != nil {
			return RawDocument{}, false
		}
	}
	if !strings.HasPrefix(s.text, "=") || !bytes.Equal(s.listeners, s.assumed.listeners) ||
		!bytes.Equal(s.scanned, s.assumed.scanned) {
		return RawDocument{}, false
	}
	raw, err := unpack(s.text[1:])
	return raw, err == nil
}

// Collect is the package's Collect with the cached facts. early, which may be nil, is a speculation
// that was started a moment ago; the document must not have changed since.
func (l *ListenerCache) Collect(ctx context.Context, w World, o Options, early *Speculation) (RawDocument, error) {
	if early == nil || early.world != w || early.options != o {
		early = l.Speculate(ctx, w, o)
	}
	if early != nil {
		if raw, ok := early.result(); ok {
			return raw, nil
		}
	}
	raw, learnt, err := collectFacts(ctx, w, o)
	l.mu.Lock()
	l.last = learnt
	l.mu.Unlock()
	return raw, err
}
