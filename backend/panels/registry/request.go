package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

type endpointCall struct {
	method string
	// path is escaped and begins with "/". query has no "?". body may be nil.
	path, query string
	body        []byte
	// call and args are the original call, for backends without HTTP.
	call toolspec.Call
	args json.RawMessage
}

func (e endpointCall) target() string {
	if e.query != "" {
		return e.method + " " + e.path + "?" + e.query
	}
	return e.method + " " + e.path
}

var encoded = regexp.MustCompile(`%([0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})`)

// Characters that a normalizing server may treat as a slash or a full stop.
const (
	likeSlash = "／＼∕⁄⧸⧹﹨"
	likeDot   = ".．。․…‥｡"
)

func newEndpointCall(t manifest.BoundTool, args map[string]json.RawMessage) (endpointCall, error) {
	out := endpointCall{method: t.Method, path: t.Path}
	rest := maps.Clone(args)
	for _, name := range t.PathParams {
		value, err := scalar(rest[name])
		if err != nil {
			return out, fmt.Errorf("%s is part of the endpoint's path and %w", name, err)
		}
		if problem := badSegment(value); problem != "" {
			return out, fmt.Errorf("%s is part of the endpoint's path and %s", name, problem)
		}
		out.path = strings.ReplaceAll(out.path, "{"+name+"}", url.PathEscape(value))
		delete(rest, name)
	}
	if !sameEndpoint(out.path, t.Path) {
		return out, fmt.Errorf("%s leads elsewhere with these arguments", t.Endpoint)
	}
	if t.Method == "GET" || t.Method == "DELETE" {
		out.query = query(rest)
		return out, nil
	}
	if rest == nil {
		rest = map[string]json.RawMessage{}
	}
	body, err := json.Marshal(rest)
	if err != nil {
		return out, fmt.Errorf("arguments are not JSON: %w", err)
	}
	out.body = body
	return out, nil
}

// badSegment says why value cannot be part of a path, "" if it can. A server, even one that decodes twice, must not
// treat it as several segments.
func badSegment(value string) string {
	switch {
	case value == "":
		return "is empty"
	case value == "." || value == "..":
		return fmt.Sprintf("may not be %q", value)
	case strings.ContainsAny(value, `/\`):
		return "may not contain a slash"
	case encoded.MatchString(value):
		return "may not contain an encoded character"
	case strings.ContainsAny(value, likeSlash) || strings.Trim(value, likeDot) == "" && value != "...":
		return "may not contain a character like a slash, or consist of characters like full stops"
	case strings.ContainsFunc(value, invisible) || !utf8.ValidString(value):
		return "may not contain an invisible character"
	case len(value) > 1000:
		return "is longer than 1,000 bytes"
	}
	return ""
}

// invisible reports whether c is not printable, such as a control character or a direction mark. Zero-width joiners are
// allowed, because words of some languages need them.
func invisible(c rune) bool { return !unicode.IsPrint(c) && c != '\u200c' && c != '\u200d' }

// sameEndpoint reports whether path, made from template, still is that endpoint: it has as many segments, the same ones
// where the template has no parameter, and none that leads elsewhere.
func sameEndpoint(path, template string) bool {
	u, err := url.ParseRequestURI(path)
	if err != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Host != "" || u.EscapedPath() != path {
		return false
	}
	parts, wanted := strings.Split(path, "/"), strings.Split(template, "/")
	if len(parts) != len(wanted) || strings.Count(u.Path, "/") != len(wanted)-1 {
		return false
	}
	for i, part := range parts {
		value, err := url.PathUnescape(part)
		if err != nil || value == "." || value == ".." || !strings.HasPrefix(wanted[i], "{") && part != wanted[i] {
			return false
		}
	}
	return true
}

func scalar(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return "", fmt.Errorf("is missing")
	}
	switch raw[0] {
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", fmt.Errorf("is not a string: %w", err)
		}
		return s, nil
	case '{', '[':
		return "", fmt.Errorf("should be a string or a number")
	}
	return string(raw), nil
}

// A list becomes a repeated key, an object JSON, and null is omitted.
func query(args map[string]json.RawMessage) string {
	values := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		raw := bytes.TrimSpace(args[name])
		var list []json.RawMessage
		if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
			for _, one := range list {
				values.Add(name, plain(one))
			}
			continue
		}
		if len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
			values.Add(name, plain(raw))
		}
	}
	return values.Encode()
}

func plain(raw json.RawMessage) string {
	if s, err := scalar(raw); err == nil {
		return s
	}
	return string(raw)
}
