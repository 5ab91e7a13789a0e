package page

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/observe"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
)

// Requests returns the requests of the active tab that match f, oldest first, and the number of matches left out by
// its limit. It does not start Chromium.
func (s *Session) Requests(f network.RequestFilter) (list []network.Request, more int) {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return []network.Request{}, 0
	}
	return s.Active.Requests.Requests(f, s.redactor())
}

// Request returns one request of the active tab with its headers and bodies.
func (s *Session) Request(ctx context.Context, id int) (network.RequestDetail, error) {
	s.Manager.Lock()
	t := s.Active
	var q *network.Exchange
	if t != nil {
		q = t.Requests.Get(id)
	}
	if q == nil {
		s.Manager.Unlock()
		return network.RequestDetail{}, &surface.Fault{
			Kind:       surface.FaultNotFound,
			Message:    fmt.Sprintf("There is no request %d in this tab, or it has been forgotten.", id),
			Suggestion: "Call network_requests without id for the numbers.",
		}
	}
	v := s.redactor()
	p, found := t.Page, *q
	s.Manager.Unlock()
	ctx, cancel := context.WithTimeout(ctx, observe.FrameTimeout)
	defer cancel()
	var client proto.Client
	if p != nil {
		client = p.ClientOf(ctx, found.Session)
	}
	return found.Detail(v, client), nil
}
