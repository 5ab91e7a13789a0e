package manifest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/calls/nearest"
	"sextant/backend/tools/panels/argschema"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/mend"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/shared/clip"
)

// Eval is a call whose answer the panel's author knows: Tool with Args should answer as Expect says.
type Eval struct {
	// Name says what should be so, Prompt what a person would say that leads to the tool.
	Name   string          `json:"name"`
	Prompt string          `json:"prompt"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	// As is what the arguments of later evals call the answer: "{added.id}".
	As     string `json:"as"`
	Expect Expect `json:"expect"`
}

// Expect is what an answer should be.
type Expect struct {
	// Success is false where the call should fail; nil is true.
	Success *bool `json:"success"`
	// Contains are texts that the answer, or the error, holds.
	Contains []string `json:"contains"`
	// Equals are values in the answer, by JSON pointer.
	Equals map[string]json.RawMessage `json:"equals"`
}

var ruleEarlier = regexp.MustCompile(`^\{([a-z][a-z0-9_]{1,60})((?:\.[A-Za-z0-9_-]+)*)\}$`)

// Earlier reads an argument that stands for a part of an earlier eval's answer: its name, and
// the names that lead to the part. ok is false for a plain text.
func Earlier(text string) (as string, path []string, ok bool) {
	match := ruleEarlier.FindStringSubmatch(text)
	if match == nil {
		return "", nil, false
	}
	return match[1], strings.FieldsFunc(match[2], func(c rune) bool { return c == '.' }), true
}

// evals wants calls of the panel's own tools that would be taken.
func (j *judge) evals(bound []BoundTool) {
	var names, known []string
	for _, t := range j.manifest.Tools {
		names = append(names, t.Name)
	}
	for i, e := range j.manifest.Evals {
		at := "/evals/" + strconv.Itoa(i)
		if !j.usable(at) {
			continue
		}
		j.evalTool(at, e, names)
		j.evalArgs(at, e, bound, known)
		for pointer := range e.Expect.Equals {
			if pointer != "" && !strings.HasPrefix(pointer, "/") && j.usable(at+"/expect/equals") {
				j.wrong(at+"/expect/equals", Problem{
					Expected: "JSON pointers such as /count", Text: fmt.Sprintf("%q is no JSON pointer; it begins with a slash", clip.Runes(pointer, 60)),
				}, pointers(e.Expect.Equals))
				break
			}
		}
		if e.As == "" || !j.usable(at+"/as") {
			continue
		}
		if !shape.IsTool(e.As) || slices.Contains(known, e.As) {
			j.wrong(at+"/as", Problem{
				Expected: "a name of its own: small letters, digits, underscores", Text: fmt.Sprintf("the answer cannot be called %q", clip.Runes(e.As, 60)),
			}, loose.Quote(answerName(e.As, known)))
		}
		known = append(known, e.As)
	}
}

func (j *judge) evalTool(at string, e Eval, names []string) {
	near := nearest.Name(e.Tool, names)
	if near == "" && len(names) > 0 {
		near = names[0]
	}
	right := loose.Quote(near)
	switch {
	case j.spoiled(at+"/tool") || len(names) == 0 && j.spoiled("/tools"):
	case e.Tool == "" && e.Prompt == "" && len(names) > 0:
		j.wrong(at+"/tool", Problem{Expected: "a tool of the panel", Text: "the eval calls nothing; name one of the panel's tools"}, right)
	case e.Tool == "" && e.Prompt == "", e.Tool != "" && len(names) == 0:
		j.surplus(at, Problem{Expected: "no eval", Text: "the panel has no tool that an eval could call"}, `"evals": []`)
		j.bad[at] = true
	case e.Tool != "" && !slices.Contains(names, e.Tool):
		j.wrong(at+"/tool", Problem{
			Expected: "a tool of the panel", Nearest: near, Text: fmt.Sprintf("the panel has no tool %q; an eval calls the panel's own", clip.Runes(e.Tool, 60)),
		}, right)
	}
}

// evalArgs wants arguments that the tool takes, unless the call should fail, and answers that are
// there by then.
func (j *judge) evalArgs(at string, e Eval, bound []BoundTool, known []string) {
	at += "/args"
	if len(e.Args) == 0 || !j.usable(at) {
		return
	}
	j.index(at, j.places[at].node)
	later := false
	for pointer, text := range texts(at, j.places[at].node) {
		as, _, is := Earlier(text)
		later = later || is
		if is && !slices.Contains(known, as) {
			near := nearest.Name(as, known)
			p := Problem{Expected: "an answer of an eval before this one", Nearest: near, Text: fmt.Sprintf("no eval before this one calls its answer %q", as)}
			if near == "" {
				near = "…"
			}
			right := near
			if near != "…" {
				right = strings.Replace(text, "{"+as, "{"+near, 1)
			}
			j.wrong(pointer, p, loose.Quote(right))
		}
	}
	i := slices.IndexFunc(bound, func(b BoundTool) bool { return b.Name == e.Tool })
	if later || i < 0 || e.Expect.Success != nil && !*e.Expect.Success || !j.usable(at) {
		return
	}
	compiled, err := argschema.Compile(bound[i].Def.Parameters)
	if err != nil {
		return
	}
	if why, right := argschema.Example(bound[i].Def, compiled, e.Args); why != "" {
		j.wrong(at, Problem{
			Expected: "arguments that fit the parameters of " + e.Tool, Text: fmt.Sprintf("the arguments do not fit the parameters of %s: %s", e.Tool, clip.Runes(why, 500)),
		}, string(right))
	}
}

// texts are the strings below n, by pointer.
func texts(at string, n *loose.Node) map[string]string {
	found := map[string]string{}
	var walk func(at string, n *loose.Node)
	walk = func(at string, n *loose.Node) {
		if n.Kind == loose.String {
			found[at] = n.Text
		}
		for _, m := range n.Members {
			walk(child(at, m.Name), m.Value)
		}
		for i, item := range n.Items {
			walk(child(at, strconv.Itoa(i)), item)
		}
	}
	walk(at, n)
	return found
}

// pointers are values by pointers that begin with a slash.
func pointers(equals map[string]json.RawMessage) string {
	right := map[string]json.RawMessage{}
	for pointer, value := range equals {
		if pointer != "" && !strings.HasPrefix(pointer, "/") {
			pointer = "/" + strings.ReplaceAll(strings.TrimPrefix(pointer, "$."), ".", "/")
		}
		right[pointer] = value
	}
	b, err := json.Marshal(right)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// answerName is a name for an answer that is like text and not taken.
func answerName(text string, taken []string) string {
	name := mend.Name(text, '_', 40)
	if !shape.IsTool(name) {
		name = "answer"
	}
	for n, free := 2, name; ; n++ {
		if !slices.Contains(taken, free) {
			return free
		}
		free = name + "_" + strconv.Itoa(n)
	}
}
