package manifest

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/calls/nearest"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/mend"
	"sextant/backend/tools/panels/manifest/params"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/shared/clip"
)

func methods() []string { return []string{"GET", "POST", "PUT", "PATCH", "DELETE"} }

func (j *judge) endpoint(at string, b *BoundTool, s params.Schema) {
	parent := at
	at += "/endpoint"
	if !j.usable(at) {
		return
	}
	// A good endpoint, which most are, needs no mended one.
	mended := func() string { return loose.Quote(j.endpointFor(b.Endpoint, b.Name)) }
	p := Problem{Expected: "METHOD /api/" + j.id() + "/…"}
	if strings.TrimSpace(b.Endpoint) == "" {
		p.Text = fmt.Sprintf("%s has no endpoint, such as %s", b.Name, mended())
		j.wrong(at, p, mended())
		return
	}
	method, path, _ := strings.Cut(b.Endpoint, " ")
	if !slices.Contains(methods(), method) {
		p.Expected = "GET, POST, PUT, PATCH or DELETE, a space, and the path"
		p.Text = fmt.Sprintf("endpoint %q does not begin with GET, POST, PUT, PATCH or DELETE and a space", clip.Runes(b.Endpoint, 100))
		j.wrong(at, p, mended())
		return
	}
	path = strings.Trim(path, " ")
	if path == "" {
		p.Text = fmt.Sprintf("endpoint %q has no path", clip.Runes(b.Endpoint, 100))
		j.wrong(at, p, mended())
		return
	}
	if problem := shape.CheckPath(path, j.prefixes(path)); problem != "" {
		p.Text = problem
		j.wrong(at, p, mended())
		return
	}
	b.Method, b.Path = method, path
	for _, name := range shape.InBraces(path) {
		if slices.Contains(b.PathParams, name) {
			p.Expected, p.Text = "each parameter once", fmt.Sprintf("{%s} stands twice in the endpoint", name)
			j.wrong(at, p, mended())
			return
		}
		b.PathParams = append(b.PathParams, name)
	}
	for _, name := range b.PathParams {
		if s.Properties == nil || s.Has(name) {
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
	why := shape.CheckPath(path, j.prefixes(path))
	if !slices.Contains(methods(), method) || method == "GET" {
		why = fmt.Sprintf("undo %q does not begin with POST, PUT, PATCH or DELETE and a space", clip.Runes(b.Undo, 100))
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
func (j *judge) undeclared(at string, b *BoundTool, s params.Schema, name string) {
	p := Problem{
		Expected: "names of parameters in braces", Found: "{" + name + "}",
		Text: fmt.Sprintf("{%s} is not among the parameters of %s", name, b.Name), Nearest: nearest.Name(name, s.Names()),
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
	case s.Short:
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

// endpointFor is an endpoint of this panel for a tool, made from what stands there.
func (j *judge) endpointFor(text, tool string) string { return mend.Endpoint(text, tool, j.id()) }
