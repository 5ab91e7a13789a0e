package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
)

// mostAhead is how many elements a document may have to be looked at on trust: in a larger one a
// look that was in vain costs more than the round trips it would have saved.
const mostAhead = 5000

// Known is what the last look at a document learnt of its listeners, which hardly ever changes
// between two looks. With it the next look asks for everything at once, on trust, and then sees
// whether the trust was right. The zero value knows nothing. Its methods may be called
// concurrently.
type Known struct {
	mu   sync.Mutex
	last lesson
}

// lesson is what one look learnt. It is never changed after it was made.
type lesson struct {
	// listeners is the browser's answer, nil when nothing is known; ids, count and root are what
	// it says.
	listeners json.RawMessage
	ids       string
	count     int
	root      bool
	// scanned is what the page's own world said when the look asked it, nil when it did not, and
	// scan the same read.
	scanned json.RawMessage
	scan    found
	walked  int
}

// Ahead is a look on trust that is under way.
type Ahead struct {
	world   World
	options Options
	trust   lesson
	asking  sync.WaitGroup

	listeners, scanned json.RawMessage
	text               string
	err                [3]error
}

// Ahead begins a look at w on trust; nil when too little is known or too much would be asked for.
// The end of ctx ends it. What it finds changes nothing, so that it may be dropped.
func (k *Known) Ahead(ctx context.Context, w World, o Options) *Ahead {
	k.mu.Lock()
	trust := k.last
	k.mu.Unlock()
	if trust.listeners == nil || trust.walked > mostAhead {
		return nil
	}
	a := &Ahead{world: w, options: o, trust: trust}
	var answer any
	a.asking.Go(func() { a.listeners, a.err[0] = w.Listeners(ctx) })
	if trust.scanned != nil {
		answer = trust.scan
		a.asking.Go(func() { a.scanned, a.err[1] = searched(ctx, w, "scan", trust.count) })
	}
	a.asking.Go(func() { a.text, a.err[2] = ask(ctx, w, o, trust.ids, trust.root, answer, "peek") })
	return a
}

// held waits for the look and returns what it found, false when the trust was wrong.
func (a *Ahead) held() (Raw, bool) {
	a.asking.Wait()
	for _, err := range a.err {
		if err != nil {
			return Raw{}, false
		}
	}
	if !strings.HasPrefix(a.text, "=") || !bytes.Equal(a.listeners, a.trust.listeners) || !bytes.Equal(a.scanned, a.trust.scanned) {
		return Raw{}, false
	}
	raw, err := unpack(a.text[1:])
	return raw, err == nil
}

// Look is the package's Look with what is known of the document. early, which may be nil, is a look
// on trust that was begun a moment ago, while the document did not change.
func (k *Known) Look(ctx context.Context, w World, o Options, early *Ahead) (Raw, error) {
	if early == nil || early.world != w || early.options != o {
		early = k.Ahead(ctx, w, o)
	}
	if early != nil {
		if raw, ok := early.held(); ok {
			return raw, nil
		}
	}
	raw, learnt, err := lookAt(ctx, w, o)
	k.mu.Lock()
	k.last = learnt
	k.mu.Unlock()
	return raw, err
}
