package browser

import (
	"context"
	"encoding/json"

	"github.com/go-rod/rod/lib/proto"
)

// KillForTest ends Chromium as a crash would.
func (b *Browser) KillForTest() {
	b.tabs.Lock()
	e := b.engine
	b.tabs.Unlock()
	e.proc.Kill()
}

// ActingForTest reports whether an action runs in the active tab.
func (s *Session) ActingForTest() bool {
	s.b.Lock()
	defer s.b.Unlock()
	return s.active != nil && s.active.cancel != nil
}

// HoldForTest takes the active tab's turn as an action does, until the function it returns is called.
func (s *Session) HoldForTest(ctx context.Context) (func(), error) {
	s.b.Lock()
	t := s.active
	s.b.Unlock()
	return t.acquire(ctx)
}

// SendForTest sends calls to the active tab.
func (s *Session) SendForTest(ctx context.Context, reqs ...proto.Request) error {
	s.b.Lock()
	p := s.active.page
	s.b.Unlock()
	return p.Send(ctx, reqs...)
}

// EvalForTest evaluates an expression in the world of the active tab's own scripts.
func (s *Session) EvalForTest(ctx context.Context, expression string) (json.RawMessage, error) {
	s.b.Lock()
	p := s.active.page
	s.b.Unlock()
	if p == nil {
		return nil, errBrowserEnded
	}
	return p.Main().EvalMain(ctx, expression)
}

// TruthForTest asks the page which thing each number's node stands for: an untrusted event
// goes to the node, and the page answers in an attribute of its root.
func (s *Session) TruthForTest(ctx context.Context, ids []int) map[int]string {
	truth := map[int]string{}
	byDoc := map[int][]int{}
	for _, id := range ids {
		if th, ok := s.b.elements.Thing(id); ok {
			byDoc[th.Doc] = append(byDoc[th.Doc], id)
		}
	}
	for doc, list := range byDoc {
		s.b.Lock()
		t := s.active
		s.b.Unlock()
		d := t.observer.document(doc)
		if d == nil {
			continue
		}
		handles := make([]int, len(list))
		for i, id := range list {
			th, _ := s.b.elements.Thing(id)
			handles[i] = th.Handle
		}
		raw, err := d.Call(ctx, `function (handles) {
  const root = document.documentElement
  return handles.map((h) => {
    root.removeAttribute('data-truth')
    const n = globalThis.__sextant?.node(h)
    n?.dispatchEvent(new Event('fuzz-truth', { bubbles: true, composed: true }))
    return root.getAttribute('data-truth') ?? ''
  })
}`, handles)
		if err != nil {
			continue
		}
		var found []string
		if json.Unmarshal(raw, &found) == nil && len(found) == len(list) {
			for i, id := range list {
				truth[id] = found[i]
			}
		}
	}
	return truth
}

// CrashForTest crashes the active tab's renderer.
func (s *Session) CrashForTest(ctx context.Context) error {
	s.b.Lock()
	p := s.active.page
	s.b.Unlock()
	p.Post(p.Session, proto.PageCrash{})
	return nil
}
