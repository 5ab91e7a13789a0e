package browser

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
)

// Bounds of what is kept of a tab's requests; the oldest are forgotten first.
const (
	maxRequests = 300
	maxHeaders  = 16 << 10
	maxPost     = 8 << 10
	maxURL      = 2000
	maxTrips    = 8
)

// exchange is one request of a tab's pages and what came back.
type exchange struct {
	id             int
	session, key   string
	browserID      string
	method, url    string
	kind           string
	status         int
	statusText     string
	mime           string
	failed         string
	cached         bool
	size           float64
	begun, ended   float64
	sent, received json.RawMessage
	post           string
	// by is the address of the document that asked.
	by string
}

// traffic is the newest requests of a tab. It is guarded by Browser.mu.
type traffic struct {
	list []*exchange
	last int
}

func (f *traffic) find(key string) *exchange {
	for i := len(f.list) - 1; i >= 0; i-- {
		if f.list[i].key == key {
			return f.list[i]
		}
	}
	return nil
}

func (f *traffic) add(r *exchange) {
	f.last++
	r.id = f.last
	if len(f.list) >= maxRequests {
		f.list = slices.Delete(f.list, 0, len(f.list)-maxRequests+1)
	}
	f.list = append(f.list, r)
}

type response struct {
	Status     int             `json:"status"`
	StatusText string          `json:"statusText"`
	MimeType   string          `json:"mimeType"`
	Headers    json.RawMessage `json:"headers"`
	FromDisk   bool            `json:"fromDiskCache"`
	FromWorker bool            `json:"fromServiceWorker"`
}

// told is what the events about one request have in common.
type told struct {
	RequestID string  `json:"requestId"`
	LoaderID  string  `json:"loaderId"`
	Document  string  `json:"documentURL"`
	FrameID   string  `json:"frameId"`
	Type      string  `json:"type"`
	Time      float64 `json:"timestamp"`
	URL       string  `json:"url"`
	Request   struct {
		request
		Headers json.RawMessage `json:"headers"`
	} `json:"request"`
	Redirect *response `json:"redirectResponse"`
	Response response  `json:"response"`
	Size     float64   `json:"encodedDataLength"`
	Error    string    `json:"errorText"`
	Blocked  string    `json:"blockedReason"`
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
		t.keep(name, id, ev.SessionID, r)
		if r.Type == "Document" || name == "loadingFailed" {
			t.travel(name, main, r)
		}
	})
}

// keep writes the list of requests. Called under mu.
func (t *tab) keep(name, key, session string, r told) {
	switch name {
	case "requestWillBeSent":
		if old := t.traffic.find(key); old != nil && r.Redirect != nil {
			old.answered(*r.Redirect)
			old.ended, old.key = r.Time, ""
		}
		if strings.HasPrefix(r.Request.URL, "data:") || foreign(r.Request.URL) {
			return
		}
		t.traffic.add(&exchange{
			session: session, key: key, browserID: r.RequestID, method: r.Request.Method, url: surface.Clip(r.Request.URL, maxURL),
			kind: strings.ToLower(r.Type), begun: r.Time, sent: bounded(r.Request.Headers), post: surface.Clip(r.Request.PostData, maxPost), by: surface.Clip(r.Document, maxURL),
		})
		return
	case "webSocketCreated":
		t.traffic.add(&exchange{session: session, key: key, browserID: r.RequestID, method: http.MethodGet, url: surface.Clip(r.URL, maxURL), kind: "websocket", begun: r.Time})
		return
	}
	q := t.traffic.find(key)
	if q == nil {
		return
	}
	switch name {
	case "responseReceived", "webSocketHandshakeResponseReceived":
		q.answered(r.Response)
	case "loadingFinished":
		q.size, q.ended = r.Size, r.Time
	case "loadingFailed":
		q.failed, q.ended = r.Error, r.Time
		if r.Blocked != "" {
			q.failed += " (" + r.Blocked + ")"
		}
	case "webSocketFrameError":
		q.failed = r.Error
	case "webSocketClosed":
		q.ended = r.Time
	}
}

func (q *exchange) answered(r response) {
	q.status, q.statusText, q.mime = r.Status, surface.Clip(r.StatusText, 100), surface.Clip(r.MimeType, 100)
	q.cached = r.FromDisk || r.FromWorker
	q.received = bounded(r.Headers)
}

func bounded(headers json.RawMessage) json.RawMessage {
	if len(headers) > maxHeaders {
		return nil
	}
	return slices.Clone(headers)
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

// foreign reports whether an address is for another program: mailto:, tel:, a scheme of its own.
func foreign(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "about", "data", "blob", "file", "filesystem", "javascript", "chrome",
		"chrome-error", "chrome-extension", "devtools", "view-source", "ftp", "uuid-in-package":
		return false
	}
	return true
}

// status is an HTTP status for people: 200, "404 Not Found".
func status(code int) string {
	if text := http.StatusText(code); text != "" && code >= 400 {
		return strconv.Itoa(code) + " " + text
	}
	return strconv.Itoa(code)
}
