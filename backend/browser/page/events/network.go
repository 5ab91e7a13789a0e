package events

import (
	"encoding/json"
	"net/http"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/effects"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
)

const maxNavigations = 8

func networkEvent(t *page.Tab, p *cdp.Page, name string, ev cdp.Event) {
	var r network.Event
	if json.Unmarshal(ev.Params, &r) != nil {
		return
	}
	id := ev.SessionID + r.RequestID
	switch name {
	case "requestWillBeSent":
		// Documents are tracked by the loads of their frames, because their requests may end in another session.
		switch r.Type {
		case "Script", "Stylesheet", "XHR", "Fetch":
			t.Tracker.RecordRequestStart(id, r.Request.Key())
		}
	case "responseReceived":
		// An event stream never ends, so the page does not wait for its end.
		if r.Response.MimeType == "text/event-stream" {
			t.Tracker.RecordRequestEnd(id)
		} else if r.Type == "Fetch" {
			t.Tracker.RecordResponse(id, true)
		}
	case "dataReceived":
		t.Tracker.RecordResponse(id, false)
		return
	case "loadingFinished", "loadingFailed":
		t.Tracker.RecordRequestEnd(id)
	case "webSocketCreated", "webSocketHandshakeResponseReceived", "webSocketFrameError", "webSocketClosed":
	default:
		return
	}
	main := p.MainFrameID()
	t.WithLock(func() {
		t.Requests.Record(name, id, ev.SessionID, r)
		if r.Type == "Document" || name == "loadingFailed" {
			followNavigation(t, name, main, r)
		}
	})
}

// followNavigation is called under the lock.
func followNavigation(t *page.Tab, name, main string, r network.Event) {
	if name == "requestWillBeSent" && network.IsExternalScheme(r.Request.URL) {
		t.AddEffect(effects.KindExternal, "the page tried to open "+surface.QuoteText(r.Request.URL, 120)+
			" in another program; nothing was opened", t.ID)
		return
	}
	nav := findNavigation(t, r.RequestID)
	switch {
	case name == "requestWillBeSent" && r.FrameID == main && r.RequestID == r.LoaderID:
		if nav == nil {
			nav = addNavigation(t, r.LoaderID, r.Request.URL)
		}
		nav.URL = r.Request.URL
		t.UpdateGeolocationPermission(t.URL, nav.URL)
		if r.Redirect != nil {
			nav.Redirects = append(nav.Redirects, r.Redirect.Status)
		}
	case nav == nil:
	case name == "responseReceived":
		nav.Status = r.Response.Status
	case name == "loadingFailed" && !nav.Committed:
		nav.NetworkError = r.Error
		if nav.Status == http.StatusNoContent || nav.Status == http.StatusResetContent {
			t.AddEffect(effects.KindPage, surface.Truncate(nav.URL, 200)+" answered "+effects.StatusText(nav.Status)+
				": there is no page to show", t.ID)
		}
	}
}

// findNavigation is called under the lock.
func findNavigation(t *page.Tab, loader string) *effects.Navigation {
	for _, r := range t.Navigations {
		if r.Loader == loader && loader != "" {
			return r
		}
	}
	return nil
}

func addNavigation(t *page.Tab, loader, url string) *effects.Navigation {
	r := &effects.Navigation{Loader: loader, URL: url}
	if len(t.Navigations) >= maxNavigations {
		t.Navigations = t.Navigations[1:]
	}
	t.Navigations = append(t.Navigations, r)
	return r
}
