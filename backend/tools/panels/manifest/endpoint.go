package manifest

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/tools/panels/manifest/loose"
)

func methods() []string { return []string{"GET", "POST", "PUT", "PATCH", "DELETE"} }

func (j *judge) endpoint(at string, b *BoundTool, s schema) {
	parent := at
	at += "/endpoint"
	if !j.usable(at) {
		return
	}
	mended := loose.Quote(j.endpointFor(b.Endpoint, b.Name))
	p := Problem{Expected: "METHOD /api/" + j.id() + "/…"}
	if strings.TrimSpace(b.Endpoint) == "" {
		p.Text = fmt.Sprintf("%s has no endpoint, such as %s", b.Name, mended)
		j.wrong(at, p, mended)
		return
	}
	method, path, _ := strings.Cut(b.Endpoint, " ")
	if !slices.Contains(methods(), method) {
		p.Expected = "GET, POST, PUT, PATCH or DELETE, a space, and the path"
		p.Text = fmt.Sprintf("endpoint %q does not begin with GET, POST, PUT, PATCH or DELETE and a space", Cut(b.Endpoint, 100))
		j.wrong(at, p, mended)
		return
	}
	path = strings.Trim(path, " ")
	if path == "" {
		p.Text = fmt.Sprintf("endpoint %q has no path", Cut(b.Endpoint, 100))
		j.wrong(at, p, mended)
		return
	}
	if problem := badPath(path, j.prefixes(path)); problem != "" {
		p.Text = problem
		j.wrong(at, p, mended)
		return
	}
	b.Method, b.Path = method, path
	for _, match := range ruleParam.FindAllStringSubmatch(path, -1) {
		name := match[1]
		if slices.Contains(b.PathParams, name) {
			p.Expected, p.Text = "each parameter once", fmt.Sprintf("{%s} stands twice in the endpoint", name)
			j.wrong(at, p, mended)
			return
		}
		b.PathParams = append(b.PathParams, name)
	}
	for _, name := range b.PathParams {
		if s.properties == nil || s.has(name) {
			continue
		}
		j.undeclared(parent, b, s, name)
	}
}

// undo judges the endpoint that takes a call back. A name in its braces is looked for in the
// answer of the call and in its arguments when it was made.
func (j *judge) undo(at string, b *BoundTool) {
	if strings.TrimSpace(b.Undo) == "" || !j.usable(at) {
		return
	}
	method, path, _ := strings.Cut(b.Undo, " ")
	path = strings.Trim(path, " ")
	why := badPath(path, j.prefixes(path))
	if !slices.Contains(methods(), method) || method == "GET" {
		why = fmt.Sprintf("undo %q does not begin with POST, PUT, PATCH or DELETE and a space", Cut(b.Undo, 100))
	}
	if why != "" {
		mended := strings.Replace(j.endpointFor(b.Undo, "undo"), "GET ", "POST ", 1)
		j.wrong(at, Problem{Expected: "METHOD /api/" + j.id() + "/…, which takes the call back", Text: why}, loose.Quote(mended))
		return
	}
	b.UndoMethod, b.UndoPath = method, path
}

// undeclared tells of a name in braces that is no parameter: one that is near is put into
// the path, else the parameter is declared.
func (j *judge) undeclared(at string, b *BoundTool, s schema, name string) {
	p := Problem{
		Expected: "names of parameters in braces", Found: "{" + name + "}",
		Text: fmt.Sprintf("{%s} is not among the parameters of %s", name, b.Name), Nearest: nearestOf(name, s.names()),
	}
	if p.Nearest != "" && !slices.Contains(b.PathParams, p.Nearest) {
		j.wrong(at+"/endpoint", p, loose.Quote(b.Method+" "+strings.ReplaceAll(b.Path, "{"+name+"}", "{"+p.Nearest+"}")))
		return
	}
	p.Pointer = at + "/endpoint"
	short := loose.Quote(name) + `: {"type": "string", "required": true}`
	place, ok := j.places[at+"/parameters"]
	var edit loose.Edit
	switch {
	case !ok || place.node.Kind != loose.Object:
		p.Fix = `"parameters": {` + short + `}`
		edit = j.insertion(j.places[at].node, p.Fix)
		if ok {
			edit = loose.Edit{Start: place.node.Start, End: place.node.End, Text: "{" + short + "}"}
		}
	case s.short:
		p.Fix = short
		edit = j.insertion(place.node, short)
	default:
		p.Fix = loose.Quote(name) + `: {"type": "string"}`
		if properties := place.node.Get("properties"); properties != nil && properties.Kind == loose.Object {
			edit = j.insertion(properties, p.Fix)
		} else {
			p.Fix = `"properties": {` + p.Fix + `}`
			edit = j.insertion(place.node, p.Fix)
		}
	}
	j.report(j.places[at+"/endpoint"].node.Start, p, edit)
}

// prefixes is what path may begin with: the panel's own id. While the id and the folder's
// name differ, either will do, so that one mistake is told once.
func (j *judge) prefixes(path string) string {
	if strings.HasPrefix(path, "/api/"+j.manifest.PanelID+"/") && j.manifest.PanelID != "" {
		return j.manifest.PanelID
	}
	return j.id()
}

// badPath says why path may not be an endpoint of panel, "" when it may.
func badPath(path, panel string) string {
	prefix := "/api/" + panel + "/"
	switch {
	case strings.Contains(path, "://") || strings.HasPrefix(path, "//"):
		return fmt.Sprintf("endpoint %q names a host; it is a path below %s", Cut(path, 100), prefix)
	case strings.Contains(path, "%"):
		return fmt.Sprintf("endpoint %q holds an encoded character, which an endpoint may not", Cut(path, 100))
	case !strings.HasPrefix(path, prefix) || len(path) == len(prefix):
		return fmt.Sprintf("found %s, expected %s…, because a panel reaches only its own routes", Cut(path, 100), prefix)
	}
	for _, segment := range strings.Split(path, "/") {
		if segment == "." || segment == ".." {
			return fmt.Sprintf("endpoint %q holds %q, which an endpoint may not", Cut(path, 100), segment)
		}
	}
	if !rulePath.MatchString(path) {
		return fmt.Sprintf("endpoint %q may hold letters, digits, - . _ ~ and {name} for a whole part, and nothing else", Cut(path, 100))
	}
	return ""
}

var (
	ruleHostPart = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/]*`)
	ruleVerb     = regexp.MustCompile(`(?i)(?:^|[\s|])(?:[a-z]+\|)?(get|post|put|patch|delete)\b:?`)
	ruleBrace    = regexp.MustCompile(`^[:<{$]+([A-Za-z_][A-Za-z0-9_]*)[>}]*$`)
	ruleOther    = regexp.MustCompile(`[^A-Za-z0-9._~-]+`)
	ruleReads    = regexp.MustCompile(`(^|_)(get|list|show|find|search|read|look|count|query)(_|$)`)
)

// endpointFor is an endpoint of this panel made from what stands there.
func (j *judge) endpointFor(text, tool string) string {
	method, path := methodAndPath(text, tool)
	id := j.id()
	parts := segmentsOf(path, id)
	if len(parts) == 0 {
		name := strings.TrimPrefix(joined(tool, '-', 60), id+"-")
		if name == "" {
			name = "do"
		}
		parts = []string{name}
	}
	full := "/api/" + id + "/" + strings.Join(parts, "/")
	if badPath(full, id) != "" {
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
	text = ruleVerb.ReplaceAllString(strings.ReplaceAll(Cut(text, 500), "\\", "/"), " ")
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
