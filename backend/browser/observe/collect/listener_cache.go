package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
)

// maxSpeculative bounds a document's elements: collecting more in vain costs more than the round trips it might save.
const maxSpeculative = 5000

// ListenerCache caches the listeners that the last collection found in a document, which rarely change between two
// collections. The next collection uses them to ask for everything at once, and then checks whether the cache was
// right. The zero value is an empty cache. Its methods may be called concurrently.
type ListenerCache struct {
	mu   sync.Mutex
	last listenerFacts
}

// listenerFacts is what one collection found out about listeners. It is immutable.
type listenerFacts struct {
	// listeners is the browser's answer, nil when it is not known. ids, count and delegated are decoded from it.
	listeners json.RawMessage
	ids       string
	count     int
	delegated bool
	// scanned is the answer of the page's main world, nil when it was not asked. scan is decoded from it.
	scanned json.RawMessage
	scan    listenerScan
	walked  int
}

// Speculation is a speculative collection in progress.
type Speculation struct {
	world   World
	options Options
	assumed listenerFacts
	asking  sync.WaitGroup

	listeners, scanned json.RawMessage
	text               string
	err                [3]error
}

// Speculate starts a collection of w with the cached facts. It returns nil when nothing is cached or the document is
// too large. The end of ctx ends it. The caller may abandon it.
func (l *ListenerCache) Speculate(ctx context.Context, w World, o Options) *Speculation {
	l.mu.Lock()
	facts := l.last
	l.mu.Unlock()
	if facts.listeners == nil || facts.walked > maxSpeculative {
		return nil
	}
	a := &Speculation{world: w, options: o, assumed: facts}
	var answer any
	a.asking.Go(func() { a.listeners, a.err[0] = w.Listeners(ctx) })
	if facts.scanned != nil {
		answer = facts.scan
		a.asking.Go(func() { a.scanned, a.err[1] = evalListeners(ctx, w, "scan", facts.count) })
	}
	a.asking.Go(func() { a.text, a.err[2] = runCollector(ctx, w, o, facts.ids, facts.delegated, answer, "peek") })
	return a
}

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

// Collect is like the function Collect, but uses the cached facts. early, which may be nil, is a speculation that has
// already started; the document must not have changed since.
func (l *ListenerCache) Collect(ctx context.Context, w World, o Options, early *Speculation) (RawDocument, error) {
	if early == nil || early.world != w || early.options != o {
		early = l.Speculate(ctx, w, o)
	}
	if early != nil {
		if raw, ok := early.result(); ok {
			return raw, nil
		}
	}
	raw, facts, err := collectFacts(ctx, w, o)
	l.mu.Lock()
	l.last = facts
	l.mu.Unlock()
	return raw, err
}
