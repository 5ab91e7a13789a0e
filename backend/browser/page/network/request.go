package network

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/policy/address"
	"sextant/backend/policy/redact"
	"sextant/backend/surface"
)

// RequestFilter selects requests of a tab, ignoring case: those whose address contains URL, whose status matches
// Status ("404", "4xx" or "failed"), and whose type is Type (document, script, xhr, fetch, image, …). Empty fields
// match all requests. Limit is the maximum number of requests, of which the newest are returned (50 when 0).
type RequestFilter struct {
	URL, Status, Type string
	Limit             int
}

// Request is one request of a tab's pages. Secrets in its URL are masked.
type Request struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	URL    string `json:"url"`
	Type   string `json:"type"`
	// Status is 0 until there is a response. NetworkError is "" if there was none.
	Status       int    `json:"status,omitempty"`
	NetworkError string `json:"failed,omitempty"`
	MIME         string `json:"mime,omitempty"`
	// Bytes is the size on the wire. It and DurationMS are 0 until the request ends.
	Bytes      int64 `json:"bytes"`
	DurationMS int   `json:"ms"`
	Running    bool  `json:"running,omitempty"`
	Cached     bool  `json:"cached,omitempty"`
	// Initiator is the origin of the document that sent the request, "" when it is not known.
	Initiator string `json:"by,omitempty"`
}

// RequestDetail is a Request with its headers and bodies, in which likely secrets are masked.
type RequestDetail struct {
	Request
	RequestHeaders  map[string]string `json:"request_headers"`
	ResponseHeaders map[string]string `json:"response_headers"`
	RequestBody     string            `json:"request_body,omitempty"`
	// Body is the response body as text, at most MaxBody bytes. BodyNote says why it is missing or incomplete.
	Body     string `json:"response_body,omitempty"`
	BodyNote string `json:"body_note,omitempty"`
	// Masked is the number of values shown as redact.Placeholder, MaskedKinds lists their kinds.
	Masked      int      `json:"masked,omitempty"`
	MaskedKinds []string `json:"masked_kinds,omitempty"`
}

// MaxBody bounds the body of a RequestDetail, in bytes.
const MaxBody = 50 << 10

func (e *Exchange) public(v *redact.Redactor) Request {
	r := Request{
		ID: e.id, Method: e.method, URL: v.Address(e.url), Initiator: OriginOf(e.initiator), Type: e.resourceType,
		Status: e.status, NetworkError: e.failed, MIME: e.mime,
		Bytes: int64(e.size), Cached: e.cached, Running: e.ended == 0,
	}
	if e.ended > e.begun {
		r.DurationMS = int((e.ended - e.begun) * 1000)
	}
	return r
}

func (f RequestFilter) keeps(r Request) bool {
	if f.URL != "" && !surface.ContainsFold(r.URL, f.URL) {
		return false
	}
	if f.Type != "" && !strings.EqualFold(r.Type, f.Type) {
		return false
	}
	switch {
	case f.Status == "":
		return true
	case strings.EqualFold(f.Status, "failed"):
		return r.NetworkError != ""
	case len(f.Status) == 3 && strings.EqualFold(f.Status[1:], "xx"):
		return r.Status > 0 && fmt.Sprint(r.Status/100) == f.Status[:1]
	}
	return fmt.Sprint(r.Status) == f.Status
}

func bodyOf(c proto.Client, id string) (body, note string) {
	res, err := proto.NetworkGetResponseBody{RequestID: proto.NetworkRequestID(id)}.Call(c)
	if err != nil {
		return "", "the browser kept no body: its page was left, or it is larger than 1 MB"
	}
	text := res.Body
	if res.Base64Encoded {
		raw, err := base64.StdEncoding.DecodeString(res.Body)
		if err != nil || !utf8.Valid(raw) {
			return "", fmt.Sprintf("%d bytes that are not text", len(raw))
		}
		text = string(raw)
	}
	return text, ""
}

func headers(v *redact.Redactor, raw json.RawMessage, where string) map[string]string {
	out := map[string]string{}
	var all map[string]string
	if len(raw) == 0 || json.Unmarshal(raw, &all) != nil {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out[surface.Truncate(name, 100)] = surface.Truncate(v.Header(name, all[name], where), 500)
	}
	return out
}

func contentType(raw json.RawMessage) string {
	var all map[string]string
	if json.Unmarshal(raw, &all) != nil {
		return ""
	}
	for name, value := range all {
		if strings.EqualFold(name, "Content-Type") {
			return value
		}
	}
	return ""
}

// OriginOf returns the origin of an address in lower case, "" when it has none.
func OriginOf(requestURL string) string {
	scheme, host := address.Origin(requestURL)
	if host == "" {
		return ""
	}
	return scheme + "://" + host
}

// Detail returns the request with its headers and bodies. client runs requests on its protocol session, nil when its
// page is closed.
func (e Exchange) Detail(v *redact.Redactor, client proto.Client) RequestDetail {
	d := RequestDetail{Request: e.public(v)}
	switch {
	case e.key == "" || e.status == 0:
		d.BodyNote = "there is no body"
	case d.Running:
		d.BodyNote = "it is still running"
	case client == nil:
		d.BodyNote = "its page is gone"
	default:
		d.Body, d.BodyNote = bodyOf(client, e.browserID)
	}
	d.RequestHeaders = headers(v, e.sent, "the request headers")
	d.ResponseHeaders = headers(v, e.received, "the response headers")
	d.RequestBody = v.Body(contentType(e.sent), e.post, "the request body", true)
	// Secrets are masked in the whole body before it is truncated.
	d.Body = v.Body(e.mime, d.Body, "the response body", false)
	if whole := len(d.Body); whole > MaxBody {
		d.Body = strings.ToValidUTF8(d.Body[:MaxBody], "")
		d.BodyNote = fmt.Sprintf("cut to %d of %d bytes", len(d.Body), whole)
	}
	d.Masked, d.MaskedKinds = v.CountHidden()
	return d
}
