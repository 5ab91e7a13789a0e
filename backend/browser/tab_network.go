package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
)

// maxTrips bounds the navigations that are remembered.
const maxTrips = 8

// Requests lists the requests of the active tab that f keeps, oldest first, and how many more there are that the
// limit left out. It starts no browser.
func (s *Session) Requests(f RequestFilter) (list []Request, more int) {
	s.b.Lock()
	defer s.b.Unlock()
	if s.active == nil {
		return []Request{}, 0
	}
	return s.active.traffic.requests(f, s.redactor())
}

// Request returns everything about one request of the active tab.
func (s *Session) Request(ctx context.Context, id int) (RequestDetail, error) {
	s.b.Lock()
	t := s.active
	var q *exchange
	if t != nil {
		q = t.traffic.get(id)
	}
	if q == nil {
		s.b.Unlock()
		return RequestDetail{}, &surface.Fault{
			Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no request %d in this tab, or it is too long ago.", id),
			Suggestion: "Call network_requests without id for the numbers.",
		}
	}
	v := s.redactor()
	p, found := t.page, *q
	s.b.Unlock()
	ctx, cancel := context.WithTimeout(ctx, frameTimeout)
	defer cancel()
	var client proto.Client
	if p != nil {
		client = p.ClientOf(ctx, found.session)
	}
	return found.detail(v, client), nil
}

// network follows the requests of the tab's pages: what they may be waiting for, the way
// their documents took, and the list for network_requests.
func (t *tab) network(p *cdp.Page, name string, ev cdp.Event) {
	var r told
	if json.Unmarshal(ev.Params, &r) != nil {
		return
	}
	id := ev.SessionID + r.RequestID
	switch name {
	case "requestWillBeSent":
		// A document is followed as its frame's load: its request may end in another session.
		switch r.Type {
		case "Script", "Stylesheet", "XHR", "Fetch":
			t.tracker.RequestStarted(id, r.Request.key())
		}
	case "responseReceived":
		// A stream of events never ends; its page is not waiting for the end.
		if r.Response.MimeType == "text/event-stream" {
			t.tracker.RequestEnded(id)
		} else if r.Type == "Fetch" {
			t.tracker.RequestHeard(id, true)
		}
	case "dataReceived":
		t.tracker.RequestHeard(id, false)
		return
	case "loadingFinished", "loadingFailed":
		t.tracker.RequestEnded(id)
	case "webSocketCreated", "webSocketHandshakeResponseReceived", "webSocketFrameError", "webSocketClosed":
	default:
		return
	}
	main := p.MainFrame()
	t.set(func() {
		t.traffic.record(name, id, ev.SessionID, r)
		if r.Type == "Document" || name == "loadingFailed" {
			t.travel(name, main, r)
		}
	})
}

// travel follows the documents of the tab's main frame, and tells of addresses that are for
// other programs. Called under mu.
func (t *tab) travel(name, main string, r told) {
	if name == "requestWillBeSent" && foreign(r.Request.URL) {
		t.note(kindExternal, "the page wanted to open "+surface.QuoteClean(r.Request.URL, 120)+" in another program; nothing was opened", t.id)
		return
	}
	trip := t.trip(r.RequestID)
	switch {
	case name == "requestWillBeSent" && r.FrameID == main && r.RequestID == r.LoaderID:
		if trip == nil {
			trip = t.embark(r.LoaderID, r.Request.URL)
		}
		trip.url = r.Request.URL
		t.stands(t.url, trip.url)
		if r.Redirect != nil {
			trip.hops = append(trip.hops, r.Redirect.Status)
		}
	case trip == nil:
	case name == "responseReceived":
		trip.status = r.Response.Status
	case name == "loadingFailed" && !trip.moved:
		trip.failed = r.Error
		if trip.status == http.StatusNoContent || trip.status == http.StatusResetContent {
			t.note(kindPage, surface.Clip(trip.url, 200)+" answered "+status(trip.status)+": there is no page to show", t.id)
		}
	}
}

// trip finds a navigation that was told of lately. Called under mu.
func (t *tab) trip(loader string) *trip {
	for _, r := range t.trips {
		if r.loader == loader && loader != "" {
			return r
		}
	}
	return nil
}

// embark begins a trip. Called under mu.
func (t *tab) embark(loader, url string) *trip {
	r := &trip{loader: loader, url: url}
	if len(t.trips) >= maxTrips {
		t.trips = t.trips[1:]
	}
	t.trips = append(t.trips, r)
	return r
}
