package browser

import (
	"context"

	"github.com/go-rod/rod/lib/proto"
)

// KillForTest ends Chromium as a crash would.
func (b *Browser) KillForTest() {
	b.mu.Lock()
	e := b.engine
	b.mu.Unlock()
	e.proc.Kill()
}

// ActingForTest reports whether an action runs in the active tab.
func (s *Session) ActingForTest() bool {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.active != nil && s.active.cancel != nil
}

// SendForTest sends calls to the active tab.
func (s *Session) SendForTest(ctx context.Context, reqs ...proto.Request) error {
	s.b.mu.Lock()
	p := s.active.page
	s.b.mu.Unlock()
	return p.Send(ctx, reqs...)
}
