package browser

import (
	"context"
	"encoding/json"
	"errors"
	"syscall"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/launch"
	"sextant/backend/browser/page"
)

// KillForTest ends Chromium as a crash would.
func (b *Browser) KillForTest() {
	b.tabs.Lock()
	e := b.engine
	b.tabs.Unlock()
	e.proc.Kill()
}

// StopForTest stops Chromium, so that it hangs.
func (b *Browser) StopForTest() error {
	b.tabs.Lock()
	e := b.engine
	b.tabs.Unlock()
	p, ok := e.proc.(*launch.Process)
	if !ok {
		return errors.New("it was not started here")
	}
	return syscall.Kill(-p.PID, syscall.SIGSTOP)
}

// ActingForTest reports whether an action runs in the active tab.
func (s *Session) ActingForTest() bool {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	return s.Active != nil && s.Active.Cancel != nil
}

// HoldForTest takes the active tab's turn as an action does, until the function it returns is called.
func (s *Session) HoldForTest(ctx context.Context) (func(), error) {
	s.Manager.Lock()
	t := s.Active
	s.Manager.Unlock()
	return t.Acquire(ctx)
}

// SendForTest sends calls to the active tab.
func (s *Session) SendForTest(ctx context.Context, reqs ...proto.Request) error {
	s.Manager.Lock()
	p := s.Active.Page
	s.Manager.Unlock()
	return p.Send(ctx, reqs...)
}

// EvalForTest evaluates an expression in the world of the active tab's own scripts.
func (s *Session) EvalForTest(ctx context.Context, expression string) (json.RawMessage, error) {
	s.Manager.Lock()
	p := s.Active.Page
	s.Manager.Unlock()
	if p == nil {
		return nil, page.ErrBrowserEnded
	}
	return p.MainDocument().EvalMain(ctx, expression)
}

// TruthForTest asks the test page which logical item each id's node shows: an untrusted event
// goes to the node, and the page answers in an attribute of its root.
func (s *Session) TruthForTest(ctx context.Context, ids []int) map[int]string {
	truth := map[int]string{}
	byDoc := map[int][]int{}
	for _, id := range ids {
		if th, ok := s.Manager.Elements.Element(id); ok {
			byDoc[th.Doc] = append(byDoc[th.Doc], id)
		}
	}
	for doc, list := range byDoc {
		s.Manager.Lock()
		t := s.Active
		s.Manager.Unlock()
		d := t.Observer.Document(doc)
		if d == nil {
			continue
		}
		handles := make([]int, len(list))
		for i, id := range list {
			th, _ := s.Manager.Elements.Element(id)
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
	s.Manager.Lock()
	p := s.Active.Page
	s.Manager.Unlock()
	p.Post(p.SessionID, proto.PageCrash{})
	return nil
}
