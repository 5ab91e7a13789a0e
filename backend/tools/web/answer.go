package web

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const maxHeaders = 8 << 10

type answer struct {
	URL        string `json:"url"`
	Status     int    `json:"status"`
	StatusText string `json:"status_text"`
	// Repeated headers are joined by ", ".
	Headers     map[string]string `json:"headers,omitempty"`
	ContentType string            `json:"content_type"`
	Bytes       int               `json:"bytes"`
	Truncated   bool              `json:"truncated,omitempty"`
	// Body is the text before a conversion from HTML, or "" if the body is not text.
	Body      string `json:"body"`
	Redirects int    `json:"redirects,omitempty"`
}

func (r *response) result(headers bool) toolspec.Result {
	c := r.decode()
	a := answer{
		URL: r.url.Redacted(), Status: r.status, StatusText: r.text, ContentType: c.mime, Bytes: len(r.body),
		Redirects: r.hops,
		Body:      c.raw[:excerpt.PrefixLen(c.raw, maxBody)], Truncated: r.more,
	}
	a.Truncated = a.Truncated || len(a.Body) < len(c.raw)
	if headers {
		a.Headers = shownHeaders(r.header)
	}
	head := fmt.Sprintf("%s %s · %s · %s", r.statusLine(), r.url.Redacted(), c.mime, r.amount())
	if r.hops > 0 {
		head += fmt.Sprintf(" · after %d redirects", r.hops)
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
		b.WriteString(name + ": " + a.Headers[name] + "\n")
	}
	switch {
	case c.binary:
		b.WriteString("\n[Not text, so it is not shown.]")
	case len(r.body) == 0:
		b.WriteString("\n[The body is empty.]")
	default:
		text, cut := limitText(c.text, r.more)
		a.Truncated = a.Truncated || cut && c.raw == c.text && len(c.raw) > maxBody
		b.WriteString("\n" + text)
	}
	result := toolspec.OK(a)
	result.Text = b.String()
	result.Preview = []string{fmt.Sprintf("%s · %s · %s", r.statusLine(), c.mime, r.amount())}
	result.Sources = []string{origin(r.url)}
	return result
}

func (r *response) statusLine() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.status, r.text))
}

func (r *response) amount() string {
	if r.more {
		return "more than " + humanize.IBytes(maxRead)
	}
	return humanize.Bytes(uint64(len(r.body)))
}

// shownHeaders does not show the values of Set-Cookie, which may be secret.
func shownHeaders(h http.Header) map[string]string {
	all, used := map[string]string{}, 0
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := excerpt.Printable(strings.ReplaceAll(strings.Join(h[name], ", "), "\n", " "))
		if name == "Set-Cookie" {
			value = fmt.Sprintf("(%d, not shown)", len(h[name]))
		}
		if used += len(name) + len(value); used > maxHeaders {
			break
		}
		all[name] = value
	}
	return all
}
