package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/calls/nearest"
	"sextant/backend/tools/panels/argschema"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/mend"
	"sextant/backend/tools/panels/manifest/params"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/backend/tools/panels/manifest/when"
	"sextant/shared/clip"
	"sextant/shared/event"
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
	// UndoMethod and UndoPath are the endpoint that takes a call back, "" for none.
	UndoMethod, UndoPath string
	// Condition is the tool's when, nil without one.
	Condition *when.Expr
	// index is its place in the manifest's list, line and column that of its name.
	index, line, column int
}

// Off says that t is off, because of why; the mended example is a name of the panel's own.
func (t BoundTool) Off(why string) Problem {
	p := Problem{File: FileName, Line: t.line, Column: t.column, Severity: event.SeverityError, Tool: t.Name, Text: fmt.Sprintf("tool %s is off: %s", t.Name, why)}
	if t.line > 0 {
		p.Pointer = fmt.Sprintf("/tools/%d/name", t.index)
		own := strings.ReplaceAll(t.Def.Owner, "-", "_") + "_" + t.Name
		p.Expected, p.Found, p.Nearest = "a name that is not taken", loose.Quote(t.Name), own[:min(len(own), 61)]
		p.Fix = `"name": ` + loose.Quote(p.Nearest)
	}
	return p
}

func (j *judge) tools() []BoundTool {
	seen := map[string]bool{}
	var bound []BoundTool
	for i, t := range j.manifest.Tools {
		at := "/tools/" + strconv.Itoa(i)
		if j.spoiled(at) {
			continue
		}
		named := j.toolName(at, t, seen)
		if b, ok := j.tool(at, t); ok && named {
			b.index = i
			b.line, b.column = j.doc.Position(j.places[at+"/name"].node.Start)
			bound = append(bound, b)
		}
	}
	if len(j.manifest.Tools) > 0 && j.manifest.Backend == nil && !j.builtin && !j.spoiled("/backend") {
		// The minimal manifest names no backend, so this is not an error: the panel is
		// there, only nothing can answer its tools.
		j.warn("/tools", `"backend": `+shape.Backend().Sample, "nothing answers the tools, so they are off; add a backend")
		return nil
	}
	return bound
}

func (j *judge) toolName(at string, t Tool, seen map[string]bool) bool {
	if !j.usable(at + "/name") {
		return false
	}
	p := Problem{Expected: "a small letter, then 1 to 60 small letters, digits and underscores"}
	switch {
	case t.Name == "":
		p.Text = "name is missing: it is empty"
	case strings.Contains(t.Name, "__"):
		p.Text = fmt.Sprintf("name %q holds two underscores in a row, which are for the tools of MCP servers", clip.Runes(t.Name, 80))
	case !shape.IsTool(t.Name):
		p.Text = fmt.Sprintf("name %q is not allowed: a small letter, then 1 to 60 small letters, digits and underscores", clip.Runes(t.Name, 80))
	case seen[t.Name]:
		p.Expected, p.Text = "a name of its own", fmt.Sprintf("there are two tools called %s", t.Name)
	default:
		seen[t.Name] = true
		return true
	}
	name := mend.Name(t.Name, '_', 61)
	if !shape.IsTool(name) {
		name = mend.Name(j.id(), '_', 40) + "_tool"
	}
	name = j.freeName(at+"/name", name)
	p.Nearest = name
	j.wrong(at+"/name", p, loose.Quote(name))
	return false
}

// freeName is name, with a number where another tool of the manifest is called so.
func (j *judge) freeName(at, name string) string {
	taken := map[string]bool{}
	for i, t := range j.manifest.Tools {
		if "/tools/"+strconv.Itoa(i)+"/name" != at {
			taken[t.Name] = true
		}
	}
	free := name
	for n := 2; taken[free]; n++ {
		suffix := "_" + strconv.Itoa(n)
		free = name[:min(len(name), 61-len(suffix))] + suffix
	}
	return free
}

// toolAt names the tool that pointer leads into, for a sentence.
func (j *judge) toolAt(pointer string) string {
	parts := strings.Split(pointer, "/")
	if name := j.places[strings.Join(parts[:3], "/")].node.Get("name"); name != nil && name.Kind == loose.String && name.Text != "" {
		return clip.Runes(name.Text, 60)
	}
	return "tool " + parts[2]
}

func (j *judge) tool(at string, t Tool) (BoundTool, bool) {
	before := len(j.findings)
	b := BoundTool{Tool: t}
	if j.usable(at+"/description") && strings.TrimSpace(t.Description) == "" {
		j.wrong(at+"/description", Problem{
			Expected: "what the tool does and what it answers", Text: t.Name + " has no description; the assistant chooses tools by it",
		}, j.sensible(at+"/description", nil))
	}
	schema, ok := j.parameters(at, t)
	j.endpoint(at, &b, schema)
	j.undo(at+"/undo", &b)
	if !ok {
		return b, false
	}
	for _, p := range b.PathParams {
		if !slices.Contains(schema.Required, p) && schema.Has(p) {
			schema.Required, schema.Compiled = append(schema.Required, p), nil
		}
	}
	b.Needed = slices.Clone(schema.Required)
	j.inject(at, t, &schema)
	b.Def = toolspec.Definition{
		Name: t.Name, Description: t.Description, Parameters: schema.JSON(), Origin: toolspec.OriginPanel, Owner: j.manifest.PanelID,
		Group: "panel", Hints: j.hints(at, b), TimeoutMS: t.TimeoutMS, Examples: t.Examples,
	}
	j.examples(at, t, b.Def, schema)
	j.condition(at+"/when", t.When, j.manifest.Context)
	b.Condition = condition(t.When)
	for _, name := range shape.InBraces(t.UserDescription) {
		if j.usable(at+"/user_description") && !schema.Has(name) {
			j.warn(at+"/user_description", "", "{%s} in user_description is not among the parameters of %s", name, t.Name)
		}
	}
	return b, !slices.ContainsFunc(j.findings[before:], func(f finding) bool { return f.Stops() })
}

// parameters reads the tool's parameters in either form.
func (j *judge) parameters(at string, t Tool) (params.Schema, bool) {
	at += "/parameters"
	if j.spoiled(at) {
		return params.Schema{}, false
	}
	s, fault := params.Read(t.Parameters)
	if fault == nil {
		return s, true
	}
	j.index(at, j.places[at].node)
	for !j.usable(at + fault.Pointer) {
		cut := strings.LastIndexByte(fault.Pointer, '/')
		fault.Pointer, fault.Fix = fault.Pointer[:cut], ""
	}
	fix := fault.Fix
	if fix == "" {
		fix = `{"type": "object", "properties": {}}`
		if fault.Pointer != "" {
			fix = `{"type": "string"}`
		}
	}
	j.wrong(at+fault.Pointer, Problem{Expected: fault.Expected, Text: fault.Text}, fix)
	return s, false
}

// index notes the places of everything in n.
func (j *judge) index(pointer string, n *loose.Node) {
	if n == nil {
		return
	}
	for i := range n.Members {
		m := &n.Members[i]
		j.places[child(pointer, m.Name)] = place{node: m.Value, parent: n, member: m}
		j.index(child(pointer, m.Name), m.Value)
	}
	for i, item := range n.Items {
		j.places[child(pointer, strconv.Itoa(i))] = place{node: item, parent: n}
		j.index(child(pointer, strconv.Itoa(i)), item)
	}
}

func (j *judge) inject(at string, t Tool, s *params.Schema) {
	at += "/inject"
	place := j.places[at]
	if place.node == nil || j.spoiled(at) {
		return
	}
	kept := map[string]string{}
	for parameter, key := range t.Inject {
		if s.Has(parameter) && slices.Contains(j.manifest.Context, key) {
			kept[parameter] = key
		}
	}
	for parameter, key := range t.Inject {
		if !s.Has(parameter) {
			near := nearest.Name(parameter, s.Names())
			j.wrong(at, Problem{
				Expected: "names of parameters", Found: strconv.Quote(clip.Runes(parameter, 60)), Nearest: near,
				Text: fmt.Sprintf("inject names %q, which is not among the parameters of %s", clip.Runes(parameter, 60), t.Name),
			}, injection(kept, near, key, j.manifest.Context))
		} else if !slices.Contains(j.manifest.Context, key) && !j.spoiled("/context") {
			near := nearest.Name(key, j.manifest.Context)
			p := Problem{
				Pointer: at, Expected: "keys of the panel's context", Found: strconv.Quote(clip.Runes(key, 60)), Nearest: near,
				Text: fmt.Sprintf("inject names %q, which the panel's context does not hold", clip.Runes(key, 60)),
			}
			if near != "" || !shape.IsKey(key) {
				j.wrong(at, p, injection(kept, parameter, near, j.manifest.Context))
			} else {
				j.unpublished(at, key, p)
			}
		}
		s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == parameter })
	}
}

// unpublished tells of a key that the panel does not publish; the mended example publishes it.
func (j *judge) unpublished(at, key string, p Problem) {
	all := loose.QuoteList(append(slices.Clone(j.manifest.Context), key))
	p.Fix = `"context": ` + all
	edit := j.insertion(j.doc.Root, p.Fix)
	if place, ok := j.places["/context"]; ok {
		edit = loose.Edit{Start: place.node.Start, End: place.node.End, Text: all}
	}
	j.report(j.places[at].node.Start, p, edit)
}

func injection(kept map[string]string, parameter, key string, known []string) string {
	out := map[string]string{}
	for k, v := range kept {
		out[k] = v
	}
	if parameter != "" && slices.Contains(known, key) {
		out[parameter] = key
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// examples must be calls that would be taken.
func (j *judge) examples(at string, t Tool, def toolspec.Definition, s params.Schema) {
	for i := range t.Examples {
		one := at + "/examples/" + strconv.Itoa(i)
		node := j.places[one].node
		if node == nil || !j.usable(one) {
			continue
		}
		if s.Compiled == nil {
			s.Compiled, _ = argschema.Compile(s.JSON()) // what is plain compiles
		}
		why, right := argschema.Example(def, s.Compiled, json.RawMessage(node.JSON()))
		if why == "" {
			continue
		}
		j.wrong(one, Problem{
			Expected: "arguments that fit the parameters of " + t.Name, Text: fmt.Sprintf("the example does not fit the parameters of %s: %s", t.Name, clip.Runes(why, 500)),
		}, string(right))
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
		j.warn(at+"/annotations/readOnlyHint", "", "readOnlyHint of %s has no effect, because only GET counts as reading", b.Name)
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
