package collect

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordingWorld records its calls. With together set, no call returns before that many are
// in progress.
type recordingWorld struct {
	World
	together int

	mu    sync.Mutex
	asked []string
	all   chan struct{}
}

func (w *recordingWorld) note(ctx context.Context, what string) {
	w.mu.Lock()
	w.asked = append(w.asked, what)
	if len(w.asked) == w.together {
		close(w.all)
	}
	w.mu.Unlock()
	if w.together > 0 {
		select {
		case <-w.all:
		case <-ctx.Done():
		}
	}
}

func (w *recordingWorld) Listeners(ctx context.Context) (json.RawMessage, error) {
	w.note(ctx, "listeners")
	return w.World.Listeners(ctx)
}

func (w *recordingWorld) EvalMain(ctx context.Context, expression string) (json.RawMessage, error) {
	w.note(ctx, "scan")
	return w.World.EvalMain(ctx, expression)
}

func (w *recordingWorld) CallText(ctx context.Context, function string, args ...any) (string, error) {
	w.note(ctx, "look")
	return w.World.CallText(ctx, function, args...)
}

// collectAgain collects once more from a known page.
func collectAgain(t *testing.T, k *ListenerCache, w World) RawDocument {
	t.Helper()
	raw, err := k.Collect(t.Context(), w, Options{WholePage: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestKnownPageIsQueriedInParallel(t *testing.T) {
	w := open(t, "delegate.html")
	var k ListenerCache
	first := collectAgain(t, &k, w)
	asked := &recordingWorld{World: w, together: 3, all: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	second, err := k.Collect(ctx, asked, Options{WholePage: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(asked.asked)
	if diff := cmp.Diff([]string{"listeners", "look", "scan"}, asked.asked); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(lines(first), lines(second)); diff != "" || len(first.Nodes) != 6 {
		t.Errorf("%d elements first, then (-first +second):\n%s", len(first.Nodes), diff)
	}
}

func TestPrefetchedObservationIsUsed(t *testing.T) {
	w := open(t, "delegate.html")
	var k ListenerCache
	collectAgain(t, &k, w)
	asked := &recordingWorld{World: w}
	early := k.Speculate(t.Context(), asked, Options{WholePage: true})
	raw, err := k.Collect(t.Context(), asked, Options{WholePage: true}, early)
	if err != nil || len(raw.Nodes) != 6 || len(asked.asked) != 3 {
		t.Errorf("%v, asked for %v: %q", err, asked.asked, lines(raw))
	}
	// A prefetched one of another scope is not used.
	early = k.Speculate(t.Context(), w, Options{})
	w.js(t, `document.body.insertAdjacentHTML('beforeend', '<p style="margin-top:5000px"><button>Far below</button>')`)
	if raw, err = k.Collect(t.Context(), w, Options{WholePage: true}, early); err != nil {
		t.Fatal(err)
	}
	named(t, raw, "Far below")
}

func TestNewElementsOnKnownPageAreListed(t *testing.T) {
	w := open(t, "delegate.html")
	var k ListenerCache
	collectAgain(t, &k, w)
	has := func(name string) bool {
		return slices.ContainsFunc(collectAgain(t, &k, w).Nodes, func(n RawNode) bool { return n.Name == name })
	}
	if has("Cold one") || has("React says nothing") {
		t.Fatal("it is listed before anything listens")
	}
	w.js(t, `document.querySelector('.cold').addEventListener('click', window.f = () => {})`)
	if !has("Cold one") {
		t.Error("a new listener is not known")
	}
	w.js(t, `document.querySelector('.cold').removeEventListener('click', f)`)
	if has("Cold one") {
		t.Error("a removed listener is still known")
	}
	w.js(t, `document.getElementById('r2')['__reactProps$abc'] = {onClick() {}}, 1`)
	if !has("React says nothing") {
		t.Error("a listener added by a framework is not known")
	}
	w.js(t, `(() => { const d = document.createElement('div'); document.querySelector('main').append(d);
		d.attachShadow({mode: 'closed'}).innerHTML = '<button>Sealed late</button>'; return 1 })()`)
	if !has("Sealed late") {
		t.Error("a button in a new closed root is not listed")
	}
}
