package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sextant/backend/sandbox/secrets"
	"sextant/shared/toolspec"
)

func (p httpRequestParams) secretUses(u *url.URL) []toolspec.SecretUse {
	var uses []toolspec.SecretUse
	add := func(place secrets.Place, text string) {
		for _, name := range secrets.ReferencedNames(text) {
			use := toolspec.SecretUse{Name: name, Place: string(place), Origin: origin(u)}
			if !slices.Contains(uses, use) {
				uses = append(uses, use)
			}
		}
	}
	add(secrets.PlaceQuery, u.EscapedPath()+"?"+u.RawQuery)
	for _, name := range p.names() {
		add(secrets.PlaceHeader, p.Headers[name])
	}
	body, _ := p.body()
	add(secrets.PlaceBody, body)
	return uses
}

// insertSecrets returns values of secrets, which must not be shown.
func (t *Tools) insertSecrets(
	p httpRequestParams, u *url.URL, header http.Header, body string,
) (to *url.URL, h http.Header, sent string, bad *toolspec.Result) {
	fail := func(err error) (*url.URL, http.Header, string, *toolspec.Result) {
		r := secrets.ErrorResult(err)
		return nil, nil, "", &r
	}
	if len(p.secretUses(u)) == 0 {
		return u, header, body, nil
	}
	if t.cfg.Secrets == nil {
		return fail(&secrets.Refusal{
			Kind: toolspec.SystemError, Message: "no secrets are stored here",
			Suggestion: "Leave them out.",
		})
	}
	sink := func(place secrets.Place) secrets.Sink { return secrets.Sink{Place: place, Origin: origin(u)} }
	out := *u
	path, err := t.cfg.Secrets.Fill(u.EscapedPath(), sink(secrets.PlaceQuery), url.PathEscape)
	if err != nil {
		return fail(err)
	}
	if out.RawQuery, err = t.cfg.Secrets.Fill(u.RawQuery, sink(secrets.PlaceQuery), url.QueryEscape); err != nil {
		return fail(err)
	}
	if out.Path, err = url.PathUnescape(path); err != nil {
		return fail(&secrets.Refusal{
			Kind: toolspec.ValidationError, Message: "the path cannot be read",
			Suggestion: "Escape it as an address does.",
		})
	}
	out.RawPath = path
	h = header.Clone()
	for _, name := range p.names() {
		value, err := t.cfg.Secrets.Fill(p.Headers[name], sink(secrets.PlaceHeader), nil)
		if err != nil {
			return fail(err)
		}
		if value == p.Headers[name] {
			continue
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return fail(&secrets.Refusal{
				Kind: toolspec.ValidationError,
				Message: fmt.Sprintf("the secret for the header %s contains line ends, which a header cannot have",
					name),
				Suggestion: "Put it into the body, or use another secret.",
			})
		}
		h.Set(name, encodeBasic(name, value))
	}
	if sent, err = t.cfg.Secrets.Fill(body, sink(secrets.PlaceBody),
		escapeFor(header.Get("Content-Type"), body)); err != nil {
		return fail(err)
	}
	return &out, h, sent, nil
}

// The caller cannot encode the name:password after "Basic" in base64, because it does not know the password.
func encodeBasic(name, value string) string {
	scheme, pair, ok := strings.Cut(value, " ")
	if !strings.EqualFold(name, "Authorization") || !ok || !strings.EqualFold(scheme, "Basic") ||
		!strings.Contains(pair, ":") {
		return value
	}
	return scheme + " " + base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(pair)))
}

func escapeFor(kind, body string) func(string) string {
	switch {
	case strings.Contains(strings.ToLower(kind), "x-www-form-urlencoded"):
		return url.QueryEscape
	case strings.Contains(strings.ToLower(kind), "json") && json.Valid([]byte(body)):
		return func(value string) string {
			b, err := json.Marshal(value)
			if err != nil {
				return value // encoding a string never fails
			}
			return strings.TrimSuffix(strings.TrimPrefix(string(b), `"`), `"`)
		}
	}
	return nil
}

type boundTransport struct {
	next   http.RoundTripper
	origin string
}

func (b boundTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if origin(req.URL) != b.origin {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, &redirectError{req.URL, req.URL.Host, "the request contains a secret for another host"}
	}
	return b.next.RoundTrip(req)
}
