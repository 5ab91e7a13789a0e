package mend

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/tools/panels/manifest/shape"
	"sextant/shared/clip"
)

var (
	ruleHostPart = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/]*`)
	ruleVerb     = regexp.MustCompile(`(?i)(?:^|[\s|])(?:[a-z]+\|)?(get|post|put|patch|delete)\b:?`)
	ruleBrace    = regexp.MustCompile(`^[:<{$]+([A-Za-z_][A-Za-z0-9_]*)[>}]*$`)
	ruleOther    = regexp.MustCompile(`[^A-Za-z0-9._~-]+`)
	ruleReads    = regexp.MustCompile(`(^|_)(get|list|show|find|search|read|look|count|query)(_|$)`)
)

// Endpoint is an endpoint of the panel id for a tool, made from what stands there.
func Endpoint(text, tool, id string) string {
	method, path := methodAndPath(text, tool)
	parts := segmentsOf(path, id)
	if len(parts) == 0 {
		name := strings.TrimPrefix(Name(tool, '-', 60), id+"-")
		if name == "" {
			name = "do"
		}
		parts = []string{name}
	}
	full := "/api/" + id + "/" + strings.Join(parts, "/")
	if shape.CheckPath(full, id) != "" {
		full = "/api/" + id + "/do"
	}
	return method + " " + full
}

// methodAndPath are what text says of both, the method else by what the tool's name says that it does.
func methodAndPath(text, tool string) (method, path string) {
	method = "POST"
	if ruleReads.MatchString(tool) {
		method = "GET"
	}
	if m := ruleVerb.FindStringSubmatch(text); m != nil {
		method = strings.ToUpper(m[1])
	}
	text = ruleVerb.ReplaceAllString(strings.ReplaceAll(clip.Runes(text, 500), "\\", "/"), " ")
	for _, word := range strings.Fields(text) {
		if path == "" && strings.ContainsAny(word, "/{:") {
			path = word
		}
	}
	if i := strings.Index(text, "://"); i >= 0 {
		_, path, _ = strings.Cut(text[i+3:], "/")
	}
	path = ruleHostPart.ReplaceAllString(path, "")
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return method, path
}

// segmentsOf are the parts of path below the routes of the panel id, each such as an endpoint may have.
func segmentsOf(path, id string) []string {
	var parts []string
	segments := strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
	for i, segment := range segments {
		switch {
		case segment == "." || segment == "..", i == 0 && (strings.EqualFold(segment, "api") || segment == "HEAD" || segment == "LINK"),
			i == 1 && segment == id && strings.EqualFold(segments[0], "api"), i == 0 && segment == id:
			continue
		case i == 1 && strings.EqualFold(segments[0], "api") && len(segments) > 2:
			// The id of another panel.
			continue
		}
		if m := ruleBrace.FindStringSubmatch(segment); m != nil {
			segment = "{" + m[1] + "}"
		} else {
			segment = strings.Trim(strings.ReplaceAll(ruleOther.ReplaceAllString(segment, "-"), "--", "-"), "-.")
		}
		if segment != "" && (segment[0] != '{' || !slices.Contains(parts, segment)) {
			parts = append(parts, segment)
		}
	}
	return parts
}
