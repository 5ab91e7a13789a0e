package panels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/tools/panels/manifest"
)

// outgoing is a call as the endpoint gets it.
type outgoing struct {
	method string
	// path is escaped and begins with "/"; query has no "?"; body is nil when there is none.
	path, query string
	body        []byte
}

// target is method and address for a person.
func (o outgoing) target() string {
	if o.query != "" {
		return o.method + " " + o.path + "?" + o.query
	}
	return o.method + " " + o.path
}

var encoded = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// prepare turns arguments into a request: path parameters into the path, the rest into
// the query (GET, DELETE) or a JSON body. The error is a sentence for the caller.
func prepare(t manifest.BoundTool, args map[string]json.RawMessage) (outgoing, error) {
	out := outgoing{method: t.Method, path: t.Path}
	rest := maps.Clone(args)
	for _, name := range t.PathParams {
		value, err := scalar(rest[name])
		if err != nil {
			return out, fmt.Errorf("%s stands in the endpoint's path and %w", name, err)
		}
		if problem := badSegment(value); problem != "" {
			return out, fmt.Errorf("%s stands in the endpoint's path and %s", name, problem)
		}
		out.path = strings.ReplaceAll(out.path, "{"+name+"}", url.PathEscape(value))
		delete(rest, name)
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

// badSegment says why value may not stand in a path: what a server could take for more
// than one part of it, also after decoding it once too often.
func badSegment(value string) string {
	switch {
	case value == "":
		return "is empty"
	case value == "." || value == "..":
		return fmt.Sprintf("may not be %q", value)
	case strings.ContainsAny(value, `/\`):
		return "may not hold a slash"
	case encoded.MatchString(value):
		return "may not hold an encoded character"
	case strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "may not hold a control character"
	case len(value) > 1000:
		return "is longer than 1,000 bytes"
	}
	return ""
}

// scalar is a string, number or boolean as text.
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

// query writes the arguments in order of their names: lists as repeated keys, objects as
// JSON, null left out.
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
