package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"golang.org/x/net/http/httpguts"

	"sextant/backend/sandbox/secrets"
	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

//go:embed http_request.md
var httpRequestDoc string

const (
	maxSent        = 1 << 20
	maxSentHeaders = 50
)

// A string Body is sent as text, any other Body as JSON.
type httpRequestParams struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

func httpRequest() tool {
	const name = "http_request"
	return tool{
		def: define(name, httpRequestDoc,
			`{"type":"object","properties":{`+
				`"url":{"type":"string","minLength":1,"maxLength":8192,"description":"Whole address, http or https."},`+
				`"method":{"type":"string","enum":["GET","HEAD","POST","PUT","PATCH","DELETE","OPTIONS"],"default":"GET"},`+
				`"headers":{"type":"object","additionalProperties":{"type":"string"},"maxProperties":50,"description":"For example {\"Accept\":\"application/json\"}."},`+
				`"body":{"type":["string","object","array"],"description":"Text, or an object or array that is sent as JSON."}},`+
				`"required":["url"],"additionalProperties":false}`,
			toolspec.Hints{OpenWorld: true}, `{"url":"https://api.example.com/items?limit=5"}`,
			`{"url":"https://api.example.com/items","method":"POST","body":{"name":"lamp"}}`,
			`{"url":"https://api.example.com/items/7","method":"DELETE",`+
				`"headers":{"Authorization":"Bearer {{secret:shop}}"}}`),
		describe: func(_ *Tools, call toolspec.Call) toolspec.Description {
			var p httpRequestParams
			_ = json.Unmarshal(call.Args, &p)
			return p.describe()
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call, out progress) toolspec.Result {
			var p httpRequestParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return *bad
			}
			return t.httpRequest(ctx, call, p, out)
		},
	}
}

func (p httpRequestParams) method() string {
	if p.Method == "" {
		return http.MethodGet
	}
	return strings.ToUpper(p.Method)
}

func (p httpRequestParams) body() (text, kind string) {
	if len(p.Body) == 0 || string(p.Body) == "null" {
		return "", ""
	}
	if json.Unmarshal(p.Body, &text) == nil {
		return text, "text/plain; charset=utf-8"
	}
	return string(p.Body), "application/json"
}

func (p httpRequestParams) describe() toolspec.Description {
	u, bad := parse(p.URL)
	if bad != nil {
		return toolspec.Description{Sentence: "Sending a request", Target: p.URL}
	}
	d := toolspec.Description{
		Target: secrets.NormalizeReferences(p.method() + " " + u.Redacted()), Hosts: hosts(u),
		LimitMS: toolspec.DefaultTimeoutMS,
	}
	body, _ := p.body()
	d.Data = body
	if len(p.Headers) > 0 {
		var b strings.Builder
		for _, name := range p.names() {
			b.WriteString(name + ": " + p.Headers[name] + "\n")
		}
		d.Data = strings.TrimSuffix(b.String()+"\n"+body, "\n\n")
	}
	d.Sentence = secrets.NormalizeReferences(p.sentence("Sending", "Requesting", u))
	if d.Data == "" {
		d.Question = secrets.NormalizeReferences(p.question(u))
	}
	d.Secrets = p.secretUses(u)
	return d
}

// question is about a request without data; the policy asks about data itself.
func (p httpRequestParams) question(u *url.URL) string {
	switch method := p.method(); method {
	case http.MethodGet, http.MethodHead:
		return "Read " + shortAddress(u) + "?"
	case http.MethodDelete:
		return "Delete " + shortAddress(u) + "?"
	default:
		return fmt.Sprintf("Send a %s request to %s?", method, shortAddress(u))
	}
}

func (p httpRequestParams) sentence(sending, requesting string, u *url.URL) string {
	if body, _ := p.body(); body != "" {
		return fmt.Sprintf("%s %d characters to %s (%s)", sending, utf8.RuneCountInString(body), u.Host, p.method())
	}
	return fmt.Sprintf("%s %s (%s)", requesting, shortAddress(u), p.method())
}

func (p httpRequestParams) names() []string {
	return slices.Sorted(maps.Keys(p.Headers))
}

func (p httpRequestParams) header() (http.Header, *toolspec.Result) {
	bad := func(text, next string) (http.Header, *toolspec.Result) {
		r := toolspec.Fail(toolspec.ValidationError, text, next)
		return nil, &r
	}
	if len(p.Headers) > maxSentHeaders {
		return bad(fmt.Sprintf("more than %d headers", maxSentHeaders), "Send only those that the server needs.")
	}
	h := http.Header{}
	for _, name := range p.names() {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(p.Headers[name]) {
			return bad(fmt.Sprintf("the header %q cannot be written", name),
				"Names are letters, digits and hyphens; values have no line ends.")
		}
		if reserved(name) {
			return bad(fmt.Sprintf("the header %s cannot be set by a call", name),
				"Leave it out: Sextant sets the headers that the connection needs.")
		}
		h.Set(name, p.Headers[name])
	}
	return h, nil
}

// reserved reports whether a call may not set a header: one of the connection, of a proxy or of a browser (Sec-), one
// that unlocks a cloud metadata service, or one that overrides the method.
func reserved(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
		"expect", "accept-encoding",
		"forwarded", "via", "x-real-ip", "http2-settings", "metadata", "metadata-flavor", "x-aws-ec2-metadata-token",
		"x-method-override", "x-http-method", "x-http-method-override":
		return true
	}
	return strings.HasPrefix(name, "proxy-") || strings.HasPrefix(name, "sec-") ||
		strings.HasPrefix(name, "x-forwarded-") || strings.HasPrefix(name, ":")
}

func (t *Tools) httpRequest(
	ctx context.Context, call toolspec.Call, p httpRequestParams, out progress,
) toolspec.Result {
	u, bad := parse(p.URL)
	if bad != nil {
		return *bad
	}
	method := p.method()
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
	default:
		return toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("%q is not a supported method", p.Method),
			"Send GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.")
	}
	header, bad := p.header()
	if bad != nil {
		return *bad
	}
	body, kind := p.body()
	if len(body) > maxSent {
		return toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("the body has %s; the most is %s",
			humanize.IBytes(uint64(len(body))), humanize.IBytes(maxSent)), "Send it in parts.")
	}
	if body != "" && header.Get("Content-Type") == "" {
		header.Set("Content-Type", kind)
	}
	to, header, sent, bad := t.insertSecrets(p, u, header, body)
	if bad != nil {
		return *bad
	}
	if len(sent) > maxSent {
		return toolspec.Fail(toolspec.ValidationError,
			"with the secret in it the body is larger than "+humanize.IBytes(maxSent), "Send it in parts.")
	}
	bound := ""
	if len(p.secretUses(u)) > 0 {
		bound = origin(u)
	}
	if bad := t.limited(t.requests, "web_per_minute", requestsPerMinute); bad != nil {
		return *bad
	}
	r, bad := t.fetch(ctx, exchange{
		method: method, url: to, header: header, body: []byte(sent), bound: bound, call: call, argument: "url",
		timeout: toolspec.DefaultTimeoutMS * time.Millisecond,
	}, out)
	if bad != nil {
		return *bad
	}
	result := r.result(true)
	result.Sentence = secrets.NormalizeReferences(p.sentence("Sent", "Requested", u)) + ": " + r.statusLine()
	return result
}
