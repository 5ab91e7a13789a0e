package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	effects "sextant/backend/browser/page/effects"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
)

// maxTrips bounds the navigations that are remembered.
const maxNavigations = 8

// Requests lists the requests of the active tab that f keeps, oldest first, and how many more there are that the
// limit left out. It starts no browser.
func (s *Session) Requests(f network.RequestFilter) (list []network.Request, more int) {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return []network.Request{}, 0
	}
	return s.Active.requests.Requests(f, s.redactor())
}

// Request returns everything about one request of the active tab.
func (s *Session) Request(ctx context.Context, id int) (network.RequestDetail, error) {
	s.Manager.Lock()
	t := s.Active
	var q *network.Exchange
	if t != nil {
		q = t.requests.Get(id)
	}
	if q == nil {
		s.Manager.Unlock()
		return network.RequestDetail{}, &surface.Fault{
			Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no request %d in this tab, or it is too long ago.", id),
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

// network follows the requests of the tab's pages: what they may be waiting for, the way
// their documents took, and the list for network_requests.
func (t *Tab) networkEvent(p *cdp.Page, name string, ev cdp.Event) {
	var r network.Event
	if json.Unmarshal(ev.Params, &r) != nil {
		return
	}
	id := ev.SessionID + r.RequestID
	switch name {
	case "requestWillBeSent":
		// A document is followed as its frame's load: its request may end in another session.
		switch r.Type {
		case "Script", "Stylesheet", "XHR", "Fetch":
			t.Tracker.RequestStarted(id, r.Request.Key())
		}
	case "responseReceived":
		// A stream of events never ends; its page is not waiting for the end.
		if r.Response.MimeType == "text/event-stream" {
			t.Tracker.RequestEnded(id)
		} else if r.Type == "Fetch" {
			t.Tracker.RequestHeard(id, true)
		}
	case "dataReceived":
		t.Tracker.RequestHeard(id, false)
		return
	case "loadingFinished", "loadingFailed":
		t.Tracker.RequestEnded(id)
	case "webSocketCreated", "webSocketHandshakeResponseReceived", "webSocketFrameError", "webSocketClosed":
	default:
		return
	}
	main := p.MainFrame()
	t.Locked(func() {
		t.requests.Record(name, id, ev.SessionID, r)
		if r.Type == "Document" || name == "loadingFailed" {
			t.followNavigation(name, main, r)
		}
	})
}

// travel follows the documents of the tab's main frame, and tells of addresses that are for
// other programs. Called under mu.
func (t *Tab) followNavigation(name, main string, r network.Event) {
	if name == "requestWillBeSent" && network.IsExternalScheme(r.Request.URL) {
		t.addEffect(effects.KindExternal, "the page wanted to open "+surface.QuoteClean(r.Request.URL, 120)+" in another program; nothing was opened", t.ID)
		return
	}
	trip := t.navigation(r.RequestID)
	switch {
	case name == "requestWillBeSent" && r.FrameID == main && r.RequestID == r.LoaderID:
		if trip == nil {
			trip = t.addNavigation(r.LoaderID, r.Request.URL)
		}
		trip.url = r.Request.URL
		t.updateGeolocation(t.URL, trip.url)
		if r.Redirect != nil {
			trip.redirects = append(trip.redirects, r.Redirect.Status)
		}
	case trip == nil:
	case name == "responseReceived":
		trip.status = r.Response.Status
	case name == "loadingFailed" && !trip.committed:
		trip.failed = r.Error
		if trip.status == http.StatusNoContent || trip.status == http.StatusResetContent {
			t.addEffect(effects.KindPage, surface.Clip(trip.url, 200)+" answered "+network.StatusText(trip.status)+": there is no page to show", t.ID)
		}
	}
}

// trip finds a navigation that was told of lately. Called under mu.
func (t *Tab) navigation(loader string) *navigation {
	for _, r := range t.navigations {
		if r.loader == loader && loader != "" {
			return r
		}
	}
	return nil
}

// embark begins a trip. Called under mu.
func (t *Tab) addNavigation(loader, url string) *navigation {
	r := &navigation{loader: loader, url: url}
	if len(t.navigations) >= maxNavigations {
		t.navigations = t.navigations[1:]
	}
	t.navigations = append(t.navigations, r)
	return r
}
