package lists

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/browser"
	"sextant/backend/policy/redact"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// RequestsValue is the value of the Result of Requests.
type RequestsValue struct {
	Requests []browser.Request `json:"requests"`
	// More is the number of older requests that the limit left out.
	More int `json:"more,omitempty"`
}

// Requests lists network requests; more is the number of older requests that were left out.
func Requests(list []browser.Request, more int, from []string) toolspec.Result {
	r := toolspec.OK(RequestsValue{Requests: list, More: more})
	r.Sentence = "Listed " + english.Plural(len(list), "request", "")
	r.Sources = from
	var b strings.Builder
	if more > 0 {
		fmt.Fprintf(&b, "… %d older requests left out; send a larger limit, contains, status or type\n", more)
	}
	for _, q := range list {
		b.WriteString(requestLine(q) + "\n")
	}
	if n := strings.Count(b.String(), redact.Placeholder); n > 0 {
		fmt.Fprintf(&b, "note: %s masked as %s\n", english.Plural(n, "value", ""), redact.Placeholder)
	}
	if len(list) == 0 {
		b.WriteString("There are no such requests.")
	}
	r.Text = strings.TrimSuffix(b.String(), "\n")
	return r
}

func requestLine(q browser.Request) string {
	state := "running"
	switch {
	case q.NetworkError != "":
		state = "failed " + annotation.Clean(q.NetworkError, 80)
	case q.Status > 0:
		state = fmt.Sprint(q.Status)
	}
	line := fmt.Sprintf("%d: %s %s %s %s", q.ID, annotation.Clean(q.Method, 20), state, q.Type,
		annotation.Clean(q.URL, 200))
	if !q.Running {
		line += fmt.Sprintf(" (%d ms, %d bytes)", q.DurationMS, q.Bytes)
	}
	return line
}

// Request formats one request with its headers and bodies.
func Request(d browser.RequestDetail, from []string) toolspec.Result {
	r := toolspec.OK(d)
	r.Sentence = fmt.Sprintf("Read request %d", d.ID)
	r.Sources = observation.AppendMissing(from, observation.Sources(d.Initiator)...)
	if d.Body != "" || len(d.ResponseHeaders) > 0 {
		// The server becomes a source only if it sent text. The page chose the address; if that made the server a
		// source, text of the page could be sent to that server without a question.
		r.Sources = observation.AppendMissing(r.Sources, observation.Sources(d.URL)...)
	}
	var b strings.Builder
	b.WriteString(requestLine(d.Request) + "\n")
	part := func(title string, headers map[string]string) {
		if len(headers) == 0 {
			return
		}
		b.WriteString(title + ":\n")
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			b.WriteString("  " + annotation.Clean(name, 100) + ": " + annotation.Clean(headers[name], 300) + "\n")
		}
	}
	part("request headers", d.RequestHeaders)
	if d.RequestBody != "" {
		b.WriteString("request body: " + observation.Quote(d.RequestBody) + "\n")
	}
	part("response headers", d.ResponseHeaders)
	if d.Body != "" {
		b.WriteString("response body: " + observation.Quote(d.Body) + "\n")
	}
	if d.BodyNote != "" {
		b.WriteString("note: " + d.BodyNote + "\n")
	}
	if d.Masked > 0 {
		kinds := make([]string, len(d.MaskedKinds))
		for i, k := range d.MaskedKinds {
			kinds[i] = annotation.Quote(annotation.Clean(k, 100))
		}
		fmt.Fprintf(&b, "note: %s masked as %s: %s\n", english.Plural(d.Masked, "value", ""), redact.Placeholder,
			strings.Join(kinds, ", "))
	}
	r.Text = strings.TrimSuffix(b.String(), "\n")
	return r
}
