// Package network remembers the newest requests of a tab and returns them with secrets masked.
package network

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"sextant/backend/policy/redact"
	"sextant/backend/surface"
)

// Limits of the requests of a tab: their number (the oldest are forgotten first), bytes of headers, and characters
// of a body that was sent and of an address.
const (
	maxRequests = 300
	maxHeaders  = 16 << 10
	maxPost     = 8 << 10
	MaxURL      = 2000
)

// Exchange is one request of a tab's pages with its response.
type Exchange struct {
	id             int
	Session, key   string
	browserID      string
	method, url    string
	resourceType   string
	status         int
	statusText     string
	mime           string
	failed         string
	cached         bool
	size           float64
	begun, ended   float64
	sent, received json.RawMessage
	post           string
	// initiator is the address of the document that sent the request.
	initiator string
}

// Log contains the newest requests of a tab. It is guarded by the lock of page.Manager.
type Log struct {
	list []*Exchange
	last int
}

func (l *Log) find(key string) *Exchange {
	for i := len(l.list) - 1; i >= 0; i-- {
		if l.list[i].key == key {
			return l.list[i]
		}
	}
	return nil
}

// Get returns a request by its id, nil when it has been forgotten.
func (l *Log) Get(id int) *Exchange {
	if i := slices.IndexFunc(l.list, func(r *Exchange) bool { return r.id == id }); i >= 0 {
		return l.list[i]
	}
	return nil
}

// Requests returns the requests that match filter, oldest first and with secrets masked by v, and the number of
// matches left out by its limit.
func (l *Log) Requests(filter RequestFilter, v *redact.Redactor) (list []Request, more int) {
	limit := filter.Limit
	if limit <= 0 {
		limit = 50
	}
	list = []Request{}
	for _, q := range l.list {
		// The filter sees masked values only, so that it cannot be used to guess a secret.
		if r := q.public(v); filter.keeps(r) {
			list = append(list, r)
		}
	}
	if len(list) > limit {
		more = len(list) - limit
		list = list[more:]
	}
	return list, more
}

func (l *Log) add(r *Exchange) {
	l.last++
	r.id = l.last
	if len(l.list) >= maxRequests {
		l.list = slices.Delete(l.list, 0, len(l.list)-maxRequests+1)
	}
	l.list = append(l.list, r)
}

type response struct {
	Status     int             `json:"status"`
	StatusText string          `json:"statusText"`
	MimeType   string          `json:"mimeType"`
	Headers    json.RawMessage `json:"headers"`
	FromDisk   bool            `json:"fromDiskCache"`
	FromWorker bool            `json:"fromServiceWorker"`
}

// Event contains the common parameters of the protocol's events about one request.
type Event struct {
	RequestID string  `json:"requestId"`
	LoaderID  string  `json:"loaderId"`
	Document  string  `json:"documentURL"`
	FrameID   string  `json:"frameId"`
	Type      string  `json:"type"`
	Time      float64 `json:"timestamp"`
	URL       string  `json:"url"`
	Request   struct {
		requestData
		Headers json.RawMessage `json:"headers"`
	} `json:"request"`
	Redirect *response `json:"redirectResponse"`
	Response response  `json:"response"`
	Size     float64   `json:"encodedDataLength"`
	Error    string    `json:"errorText"`
	Blocked  string    `json:"blockedReason"`
}

// Record updates the log from the event name about the request key, which is unique among the tab's sessions.
func (l *Log) Record(name, key, session string, r Event) {
	switch name {
	case "requestWillBeSent":
		if old := l.find(key); old != nil && r.Redirect != nil {
			old.responded(*r.Redirect)
			old.ended, old.key = r.Time, ""
		}
		if strings.HasPrefix(r.Request.URL, "data:") || IsExternalScheme(r.Request.URL) {
			return
		}
		l.add(&Exchange{
			Session: session, key: key, browserID: r.RequestID, method: r.Request.Method,
			url:          surface.Truncate(r.Request.URL, MaxURL),
			resourceType: strings.ToLower(r.Type), begun: r.Time, sent: bounded(r.Request.Headers),
			post: surface.Truncate(r.Request.PostData, maxPost), initiator: surface.Truncate(r.Document, MaxURL),
		})
		return
	case "webSocketCreated":
		l.add(&Exchange{
			Session: session, key: key, browserID: r.RequestID, method: http.MethodGet,
			url: surface.Truncate(r.URL, MaxURL), resourceType: "websocket", begun: r.Time,
		})
		return
	}
	q := l.find(key)
	if q == nil {
		return
	}
	switch name {
	case "responseReceived", "webSocketHandshakeResponseReceived":
		q.responded(r.Response)
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

func (e *Exchange) responded(r response) {
	e.status, e.statusText, e.mime = r.Status, surface.Truncate(r.StatusText, 100), surface.Truncate(r.MimeType, 100)
	e.cached = r.FromDisk || r.FromWorker
	e.received = bounded(r.Headers)
}

func bounded(headers json.RawMessage) json.RawMessage {
	if len(headers) > maxHeaders {
		return nil
	}
	return slices.Clone(headers)
}

// IsExternalScheme reports whether an address is for another program: mailto:, tel:, a custom scheme.
func IsExternalScheme(url string) bool {
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

type requestData struct {
	Method   string `json:"method"`
	URL      string `json:"url"`
	PostData string `json:"postData"`
}

// Key returns a key that is equal for repetitions of a request, such as polling. It ignores digits in the query and
// body, and path parts that look like times or random ids.
func (r requestData) Key() string {
	address, query, _ := strings.Cut(r.URL, "?")
	parts := strings.Split(address, "/")
	for i, p := range parts {
		if i > 2 && isGeneratedPart(p) {
			parts[i] = "#"
		}
	}
	return r.Method + " " + strings.Join(parts, "/") + "?" + withoutDigits(query) + " " + withoutDigits(r.PostData)
}

func isGeneratedPart(part string) bool {
	return len(part) >= 8 && strings.ContainsAny(part, "0123456789") &&
		strings.Trim(part, "0123456789abcdefABCDEF-") == ""
}

func withoutDigits(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, s[:min(len(s), 2000)])
}
