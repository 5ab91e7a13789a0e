package manifest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/shared/toolspec"
)

// BoundTool is a tool found good: how to offer it and how to call it.
type BoundTool struct {
	Tool
	Def    toolspec.Definition
	Method string
	// Path is the endpoint's path; PathParams are the names in its braces.
	Path       string
	PathParams []string
	// Needed are the parameters that a call or the panel's context must give.
	Needed []string
}

var (
	ruleTool  = regexp.MustCompile(`^[a-z][a-z0-9_]{1,60}$`)
	rulePath  = regexp.MustCompile(`^(/([A-Za-z0-9._~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+$`)
	ruleParam = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

func (j *judge) tools() []BoundTool {
	tools := j.manifest.Tools
	if len(tools) > maxTools {
		j.fail("/tools", "%d tools are too many; a panel has at most %d", len(tools), maxTools)
		return nil
	}
	seen := map[string]bool{}
	var bound []BoundTool
	for i, t := range tools {
		at := "/tools/" + strconv.Itoa(i)
		if !j.toolName(at, t, seen) {
			continue
		}
		if b, ok := j.tool(at, t); ok {
			bound = append(bound, b)
		}
	}
	if len(tools) > 0 && j.manifest.Backend == nil && !j.builtin {
		// The minimal manifest names no backend, so this is not an error: the panel is
		// there, only nothing can answer its tools.
		j.warn("/tools", "nothing answers the tools, so they are off; add a backend of kind process or http")
		return nil
	}
	return bound
}

func (j *judge) toolName(at string, t Tool, seen map[string]bool) bool {
	switch {
	case t.Name == "":
		j.fail(at+"/name", "name is missing")
	case strings.Contains(t.Name, "__"):
		j.fail(at+"/name", "name %q holds two underscores in a row, which are for the tools of MCP servers", Cut(t.Name, 80))
	case !ruleTool.MatchString(t.Name):
		j.fail(at+"/name", "name %q is not allowed: a small letter, then up to 60 small letters, digits and underscores", Cut(t.Name, 80))
	case seen[t.Name]:
		j.fail(at+"/name", "there are two tools called %s", t.Name)
	default:
		seen[t.Name] = true
		return true
	}
	return false
}

func (j *judge) tool(at string, t Tool) (BoundTool, bool) {
	before := len(j.problems)
	b := BoundTool{Tool: t}
	if strings.TrimSpace(t.Description) == "" {
		j.fail(at+"/description", "%s has no description; the assistant chooses tools by it", t.Name)
	} else if len(t.Description) > 4000 {
		j.fail(at+"/description", "the description of %s is longer than 4,000 characters", t.Name)
	}
	j.endpoint(at, &b)
	schema, problem := parameters(t.Parameters)
	if problem != "" {
		j.fail(at+"/parameters", "%s", problem)
		return b, false
	}
	for _, p := range b.PathParams {
		if !schema.has(p) {
			j.fail(at+"/endpoint", "{%s} is not among the parameters of %s", p, t.Name)
		} else if !slices.Contains(schema.required, p) {
			schema.required = append(schema.required, p)
		}
	}
	b.Needed = slices.Clone(schema.required)
	for parameter, key := range t.Inject {
		if !schema.has(parameter) {
			j.fail(at+"/inject", "inject names %q, which is not among the parameters of %s", Cut(parameter, 60), t.Name)
		}
		if !slices.Contains(j.manifest.Context, key) {
			j.fail(at+"/inject", "inject names %q, which the panel's context does not hold", Cut(key, 60))
		}
		schema.required = slices.DeleteFunc(schema.required, func(r string) bool { return r == parameter })
	}
	j.limits(at, t)
	if t.Undo != "" {
		j.warn(at+"/undo", "undo has no effect in this version")
	}
	b.Def = toolspec.Definition{
		Name: t.Name, Description: t.Description, Parameters: schema.json(), Origin: toolspec.OriginPanel, Owner: j.manifest.PanelID,
		Group: "panel", Hints: j.hints(at, b), TimeoutMS: t.TimeoutMS, Examples: t.Examples,
	}
	return b, !anyStops(j.problems[before:])
}

func (j *judge) limits(at string, t Tool) {
	if t.TimeoutMS < 0 || t.TimeoutMS > toolspec.MaxTimeoutMS {
		j.fail(at+"/timeout_ms", "timeout_ms is %d; it may be 1 to %d", t.TimeoutMS, toolspec.MaxTimeoutMS)
	}
	for i, v := range t.Visibility {
		if v != "model" && v != "app" {
			j.fail(at+"/visibility/"+strconv.Itoa(i), "visibility %q is not known; it is model or app", Cut(v, 40))
		}
	}
	for i, e := range t.Examples {
		if !strings.HasPrefix(strings.TrimSpace(string(e)), "{") {
			j.fail(at+"/examples/"+strconv.Itoa(i), "an example is an object of arguments")
		}
	}
}

// hints follow the manifest where it speaks and HTTP's meaning of the method where it does not.
// That a tool only reads lets it run without a question, so a panel from elsewhere is believed
// it for GET alone.
func (j *judge) hints(at string, b BoundTool) toolspec.Hints {
	says := func(p *bool, otherwise bool) bool {
		if p != nil {
			return *p
		}
		return otherwise
	}
	readOnly := says(b.Annotations.ReadOnly, b.Method == "GET")
	if readOnly && b.Method != "GET" && !j.builtin {
		readOnly = false
		j.warn(at+"/annotations/readOnlyHint", "readOnlyHint of %s has no effect, because only GET counts as reading", b.Name)
	}
	net := j.manifest.Permissions.Net
	return toolspec.Hints{
		ReadOnly:    readOnly,
		Destructive: !readOnly && says(b.Annotations.Destructive, b.Method == "DELETE"),
		Idempotent:  says(b.Annotations.Idempotent, b.Method == "GET" || b.Method == "PUT" || b.Method == "DELETE"),
		OpenWorld:   says(b.Annotations.OpenWorld, net.Any || len(net.List) > 0),
		Confirm:     b.Confirm,
	}
}

func (j *judge) endpoint(at string, b *BoundTool) {
	at += "/endpoint"
	if b.Endpoint == "" {
		j.fail(at, "%s has no endpoint, such as \"POST /api/%s/save\"", b.Name, j.manifest.PanelID)
		return
	}
	method, path, _ := strings.Cut(b.Endpoint, " ")
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
		j.fail(at, "endpoint %q does not begin with GET, POST, PUT, PATCH or DELETE and a space", Cut(b.Endpoint, 100))
		return
	}
	path = strings.TrimSpace(path)
	if problem := badPath(path, j.manifest.PanelID); problem != "" {
		j.fail(at, "%s", problem)
		return
	}
	b.Method, b.Path = method, path
	for _, match := range ruleParam.FindAllStringSubmatch(path, -1) {
		if slices.Contains(b.PathParams, match[1]) {
			j.fail(at, "{%s} stands twice in the endpoint", match[1])
		}
		b.PathParams = append(b.PathParams, match[1])
	}
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
