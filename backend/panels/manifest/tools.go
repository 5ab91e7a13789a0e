package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/panels/manifest/condition"
	"sextant/backend/pipeline/nearest"
	"sextant/backend/toolprovider/argschema"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// BoundTool is a valid tool with everything that is needed to offer and call it.
type BoundTool struct {
	Tool
	Def    toolspec.Definition
	Method string
	// Path is the path of the endpoint. PathParams contains the names in its braces.
	Path       string
	PathParams []string
	// RequiredParams contains the parameters that a call must supply, or the panel's context through inject.
	RequiredParams []string
	// UndoMethod and UndoPath are the endpoint that undoes a call, "" for none.
	UndoMethod, UndoPath string
	// Condition is the tool's parsed "when", nil if there is none.
	Condition *condition.Expr
	// index is the position of the tool in the manifest's list. line and column are the position of its name.
	index, line, column int
}

// DisabledProblem returns the problem that t is disabled, with the reason why. If the position of t's name is known,
// the problem suggests another name, even if why is not about the name. That name may be taken, too.
func (t BoundTool) DisabledProblem(why string) Problem {
	p := Problem{File: FileName, Line: t.line, Column: t.column, Severity: event.SeverityError, Tool: t.Name}
	p.Text = fmt.Sprintf("tool %s is off: %s", t.Name, why)
	if t.line > 0 {
		p.Pointer = fmt.Sprintf("/tools/%d/name", t.index)
		own := strings.ReplaceAll(t.Def.Owner, "-", "_") + "_" + t.Name
		p.Expected, p.Found, p.Nearest = "a name that is not taken", quote(t.Name), own[:min(len(own), 61)]
		p.Fix = `"name": ` + quote(p.Nearest)
	}
	return p
}

func (c *checker) checkTools() []BoundTool {
	seen := map[string]bool{}
	var bound []BoundTool
	for i, t := range c.manifest.Tools {
		at := "/tools/" + strconv.Itoa(i)
		if !c.usable(at) {
			continue
		}
		named := c.checkToolName(at+"/name", t.Name, seen)
		if b, ok := c.checkTool(at, t); ok && named {
			b.index = i
			b.line, b.column = c.index.PositionOf(at + "/name")
			bound = append(bound, b)
		}
	}
	if len(c.manifest.Tools) > 0 && c.manifest.Backend == nil && !c.builtin && !c.unusable("/backend") {
		// This is only a warning: the panel can be shown although nothing can answer its tools.
		c.warn("/tools", `"backend": `+c.example("/backend"),
			"nothing answers the tools, so they are off; add a backend")
		return nil
	}
	return bound
}

func (c *checker) checkToolName(at, name string, seen map[string]bool) bool {
	const form = "a small letter, then 1 to 60 small letters, digits and underscores"
	p := Problem{Expected: form}
	switch {
	case !c.usable(at):
		return false
	case name == "":
		p.Text = "name is empty"
	case strings.Contains(name, "__"):
		p.Text = fmt.Sprintf("name %q holds two underscores in a row, which are for the tools of MCP servers",
			excerpt.TruncateRunes(name, 80))
	case !toolNameForm.MatchString(name):
		p.Text = fmt.Sprintf("name %q is not allowed: %s", excerpt.TruncateRunes(name, 80), form)
	case seen[name]:
		p.Expected, p.Text = "a name of its own", fmt.Sprintf("there are two tools called %s", name)
	default:
		seen[name] = true
		return true
	}
	p.Nearest = slug(name, '_', 50)
	if !toolNameForm.MatchString(p.Nearest) {
		p.Nearest = slug(c.id(), '_', 40) + "_tool"
	}
	base := p.Nearest
	for n := 2; slices.ContainsFunc(c.manifest.Tools, func(t Tool) bool { return t.Name == p.Nearest }); n++ {
		p.Nearest = base + "_" + strconv.Itoa(n)
	}
	c.fail(at, p, quote(p.Nearest))
	return false
}

func (c *checker) toolLabel(pointer string) string {
	if raw := c.index.Raw(pointer + "/name"); len(raw) > 2 && raw[0] == '"' {
		return excerpt.TruncateRunes(strings.Trim(raw, `"`), 60)
	}
	return "tool " + strings.TrimPrefix(pointer, "/tools/")
}

func (c *checker) checkTool(at string, t Tool) (BoundTool, bool) {
	before := len(c.problems)
	b := BoundTool{Tool: t}
	if c.usable(at+"/description") && strings.TrimSpace(t.Description) == "" {
		c.fail(at+"/description", Problem{
			Expected: "what the tool does and what it returns",
			Text:     c.toolLabel(at) + " has no description, by which the assistant chooses tools",
		}, c.example(at+"/description"))
	}
	args, ok := c.checkParameters(at+"/parameters", t)
	c.checkEndpoint(at, &b, args)
	c.checkUndo(at+"/undo", &b)
	if !ok {
		return b, false
	}
	for _, name := range b.PathParams {
		if !slices.Contains(args.required, name) && args.has(name) {
			args.required, args.compiled = append(args.required, name), nil
		}
	}
	b.RequiredParams = slices.Clone(args.required)
	c.checkInjection(at+"/inject", t, &args)
	b.Def = toolspec.Definition{
		Name: t.Name, Description: t.Description, Parameters: args.json(), Origin: toolspec.OriginPanel,
		Owner: c.manifest.PanelID,
		Group: "panel", Hints: c.hints(at, b), TimeoutMS: t.TimeoutMS, Still: t.Still, Examples: t.Examples,
	}
	c.checkExamples(at+"/examples/", t, b.Def, args)
	c.checkCondition(at+"/when", t.When)
	b.Condition = parseCondition(t.When)
	for _, name := range placeholders(t.UserDescription) {
		if c.usable(at+"/user_description") && !args.has(name) {
			c.warn(at+"/user_description", "", "{%s} in user_description is not among the parameters of %s", name,
				t.Name)
		}
	}
	return b, !slices.ContainsFunc(c.problems[before:], Problem.DisablesPanel)
}

func (c *checker) checkParameters(at string, t Tool) (parameters, bool) {
	if c.unusable(at) {
		return parameters{}, false
	}
	args, fault := readParameters(t.Parameters)
	if fault == nil {
		return args, true
	}
	pointer := at + fault.pointer
	for _, ok := c.index.Values[pointer]; !ok; _, ok = c.index.Values[pointer] {
		pointer = parent(pointer)
	}
	fix := fault.fix
	if fix == "" && pointer == at {
		fix = `{"type": "object", "properties": {}}`
	} else if fix == "" || pointer != at+fault.pointer {
		fix = `{"type": "string"}`
	}
	c.fail(pointer, Problem{Expected: fault.expected, Text: fault.text}, fix)
	return args, false
}

func (c *checker) checkInjection(at string, t Tool, args *parameters) {
	if !c.usable(at) {
		return
	}
	keys := c.manifest.Context
	valid := map[string]string{}
	for name, key := range t.Inject {
		if args.has(name) && slices.Contains(keys, key) {
			valid[name] = key
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Inject)) {
		key := t.Inject[name]
		switch {
		case !args.has(name):
			near := nearest.Name(name, args.names())
			c.fail(at, Problem{
				Expected: "names of parameters", Found: strconv.Quote(excerpt.TruncateRunes(name, 60)), Nearest: near,
				Text: fmt.Sprintf("inject names %q, which is not among the parameters of %s",
					excerpt.TruncateRunes(name, 60),
					t.Name),
			}, injectionJSON(valid, near, key, keys))
		case !slices.Contains(keys, key) && !c.unusable("/context"):
			p := Problem{
				Expected: "keys of the panel's context", Found: strconv.Quote(excerpt.TruncateRunes(key, 60)),
				Nearest: nearest.Name(key, keys),
				Text: fmt.Sprintf("inject names %q, which the panel's context does not hold",
					excerpt.TruncateRunes(key, 60)),
			}
			if p.Nearest == "" && keyForm.MatchString(key) {
				p.Fix = `"context": ` + quoteList(append(slices.Clone(keys), key))
			}
			c.fail(at, p, injectionJSON(valid, name, p.Nearest, keys))
		}
		args.required = slices.DeleteFunc(args.required, func(r string) bool { return r == name })
	}
}

func injectionJSON(valid map[string]string, name, key string, keys []string) string {
	all := maps.Clone(valid)
	if name != "" && slices.Contains(keys, key) {
		all[name] = key
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		members = append(members, quote(name)+": "+quote(all[name]))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (c *checker) checkExamples(at string, t Tool, def toolspec.Definition, args parameters) {
	for i, example := range t.Examples {
		at := at + strconv.Itoa(i)
		if !c.usable(at) {
			continue
		}
		if args.compiled == nil {
			args.compiled, _ = argschema.Compile(args.json()) // readParameters has already refused invalid schemas
		}
		if why, right := argschema.CheckExample(def, args.compiled, example); why != "" {
			c.fail(at, Problem{
				Expected: "arguments that fit the parameters of " + t.Name,
				Text: fmt.Sprintf("the example does not fit the parameters of %s: %s", t.Name,
					excerpt.TruncateRunes(why, 500)),
			}, string(right))
		}
	}
}

// hints returns the hints of the manifest, completed by the meaning of the HTTP method. A read-only tool normally runs
// without a question, so only a tool with the method GET can be read-only in a user's panel.
func (c *checker) hints(at string, b BoundTool) toolspec.Hints {
	or := func(declared *bool, otherwise bool) bool {
		if declared != nil {
			return *declared
		}
		return otherwise
	}
	readOnly := or(b.Annotations.ReadOnly, b.Method == "GET")
	if readOnly && b.Method != "GET" && !c.builtin {
		readOnly = false
		c.warn(at+"/annotations/readOnlyHint", "",
			"readOnlyHint of %s has no effect, because only GET counts as reading", b.Name)
	}
	net := c.manifest.Permissions.Net
	return toolspec.Hints{
		ReadOnly:    readOnly,
		Destructive: !readOnly && or(b.Annotations.Destructive, b.Method == "DELETE"),
		Idempotent:  or(b.Annotations.Idempotent, b.Method == "GET" || b.Method == "PUT" || b.Method == "DELETE"),
		OpenWorld:   or(b.Annotations.OpenWorld, net.Any || len(net.List) > 0),
		Confirm:     b.Confirm,
	}
}

func methods() []string { return []string{"GET", "POST", "PUT", "PATCH", "DELETE"} }

func (c *checker) checkEndpoint(tool string, b *BoundTool, args parameters) {
	at := tool + "/endpoint"
	if !c.usable(at) {
		return
	}
	text := excerpt.TruncateRunes(b.Endpoint, 100)
	p := Problem{Expected: "METHOD /api/" + c.id() + "/…"}
	method, path, _ := strings.Cut(b.Endpoint, " ")
	path = strings.Trim(path, " ")
	params := placeholders(path)
	switch {
	case strings.TrimSpace(b.Endpoint) == "":
		p.Text = fmt.Sprintf("%s has no endpoint, such as %s", c.toolLabel(tool), c.endpointLike(b.Endpoint, b.Name))
	case !slices.Contains(methods(), method):
		p.Expected = "GET, POST, PUT, PATCH or DELETE, a space, and the path"
		p.Text = fmt.Sprintf("endpoint %q does not begin with GET, POST, PUT, PATCH or DELETE and a space", text)
	case path == "":
		p.Text = fmt.Sprintf("endpoint %q has no path", text)
	default:
		p.Text = checkPath(path, c.prefix(path))
	}
	for i, name := range params {
		if p.Text == "" && slices.Contains(params[:i], name) {
			p.Expected, p.Text = "each parameter once", fmt.Sprintf("{%s} occurs twice in the endpoint", name)
		}
	}
	if p.Text != "" {
		c.fail(at, p, c.endpointLike(b.Endpoint, b.Name))
		return
	}
	b.Method, b.Path, b.PathParams = method, path, params
	for _, name := range params {
		if args.properties == nil || args.has(name) {
			continue
		}
		p := Problem{
			Expected: "names of parameters in braces", Found: "{" + name + "}",
			Nearest: nearest.Name(name, args.names()),
			Text:    fmt.Sprintf("{%s} is not among the parameters of %s", name, b.Name),
		}
		p.Fix = quote(name) + `: {"type": "string"}`
		if p.Nearest != "" && !slices.Contains(params, p.Nearest) {
			p.Fix = `"endpoint": ` + quote(method+" "+strings.ReplaceAll(path, "{"+name+"}", "{"+p.Nearest+"}"))
		} else if args.short {
			p.Fix = quote(name) + `: {"type": "string", "required": true}`
		}
		c.fail(at, p, "")
	}
}

// When a call is undone, the names in the endpoint's braces are looked up in the call's answer and arguments.
func (c *checker) checkUndo(at string, b *BoundTool) {
	if strings.TrimSpace(b.Undo) == "" || !c.usable(at) {
		return
	}
	method, path, _ := strings.Cut(b.Undo, " ")
	path = strings.Trim(path, " ")
	why := checkPath(path, c.prefix(path))
	if !slices.Contains(methods(), method) || method == "GET" {
		why = fmt.Sprintf("undo %q does not begin with POST, PUT, PATCH or DELETE and a space",
			excerpt.TruncateRunes(b.Undo, 100))
	}
	if why != "" {
		p := Problem{Expected: "METHOD /api/" + c.id() + "/…, which undoes the call", Text: why}
		c.fail(at, p, strings.Replace(c.endpointLike(b.Undo, "undo"), "GET ", "POST ", 1))
		return
	}
	b.UndoMethod, b.UndoPath = method, path
}

// If the manifest's id and the folder's name differ, either is accepted, so that one mistake is reported once.
func (c *checker) prefix(path string) string {
	if id := c.manifest.PanelID; id != "" && strings.HasPrefix(path, "/api/"+id+"/") {
		return id
	}
	return c.id()
}

func (c *checker) endpointLike(text, tool string) string {
	id := c.id()
	method := "POST"
	for _, name := range methods() {
		if strings.Contains(strings.ToUpper(text), name) {
			method = name
		}
	}
	_, path, _ := strings.Cut(text, "/")
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for skip := range 3 {
		if rest := strings.Join(segments[min(skip, len(segments)):], "/"); rest != "" &&
			!strings.HasPrefix(rest, "api/") {
			if full := "/api/" + id + "/" + rest; checkPath(full, id) == "" && skip != 1 {
				return quote(method + " " + full)
			}
		}
	}
	name := strings.TrimPrefix(slug(tool, '-', 60), id+"-")
	if name == "" {
		name = "do"
	}
	return quote(method + " /api/" + id + "/" + name)
}
