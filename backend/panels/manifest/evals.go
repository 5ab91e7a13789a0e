package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/pipeline/nearest"
	"sextant/backend/toolprovider/argschema"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/shared/excerpt"
)

// Eval is a call with a known answer. A call of Tool with Args should answer as Expect says. Without Tool, there is
// only a Prompt and nothing is called.
type Eval struct {
	// Name says what should be true. Prompt is a message of a user that should lead to the call.
	Name   string          `json:"name"`
	Prompt string          `json:"prompt"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	// As is the name by which arguments of later evals refer to the answer: "{added.id}".
	As     string      `json:"as"`
	Expect Expectation `json:"expect"`
}

// Expectation describes the expected answer.
type Expectation struct {
	// Success is false if the call should fail. nil means true.
	Success *bool `json:"success"`
	// Contains lists texts that must occur in the answer, or in the error of a call that should fail.
	Contains []string `json:"contains"`
	// Equals maps JSON Pointers to the expected values in the answer.
	Equals map[string]json.RawMessage `json:"equals"`
}

var referenceForm = regexp.MustCompile(`^\{([a-z][a-z0-9_]{1,60})((?:\.[A-Za-z0-9_-]+)*)\}$`)

// ParseReference parses a reference to a part of an earlier eval's answer. It returns the name of the answer and the
// path to the part. ok is false if text is not a reference.
func ParseReference(text string) (answer string, path []string, ok bool) {
	match := referenceForm.FindStringSubmatch(text)
	if match == nil {
		return "", nil, false
	}
	return match[1], strings.FieldsFunc(match[2], func(c rune) bool { return c == '.' }), true
}

func (c *checker) checkEvals(bound []BoundTool) {
	var answers []string
	for i, e := range c.manifest.Evals {
		at := "/evals/" + strconv.Itoa(i)
		if !c.usable(at) {
			continue
		}
		c.checkEvalTool(at, e)
		c.checkEvalArgs(at+"/args", e, bound, answers)
		for _, pointer := range slices.Sorted(maps.Keys(e.Expect.Equals)) {
			if pointer != "" && pointer[0] != '/' && c.usable(at+"/expect/equals") {
				c.fail(at+"/expect/equals", Problem{
					Expected: "JSON pointers such as /count",
					Text: fmt.Sprintf("%q is not a JSON pointer, which begins with a slash",
						excerpt.TruncateRunes(pointer, 60)),
					Fix: quote("/"+strings.ReplaceAll(strings.TrimPrefix(pointer, "$."), ".", "/")) + ": " +
						string(e.Expect.Equals[pointer]),
				}, "")
			}
		}
		if e.As == "" || !c.usable(at+"/as") {
			continue
		}
		if !toolNameForm.MatchString(e.As) || slices.Contains(answers, e.As) {
			c.fail(at+"/as", Problem{
				Expected: "a name of its own: small letters, digits, underscores",
				Text:     fmt.Sprintf("the answer cannot be named %q", excerpt.TruncateRunes(e.As, 60)),
			}, quote("answer_"+strconv.Itoa(i+1)))
		}
		answers = append(answers, e.As)
	}
}

func (c *checker) checkEvalTool(at string, e Eval) {
	var names []string
	for _, t := range c.manifest.Tools {
		names = append(names, t.Name)
	}
	near := nearest.Name(e.Tool, names)
	switch {
	case c.unusable(at + "/tool"), len(names) == 0 && c.unusable("/tools"):
	case e.Tool == "" && e.Prompt != "", slices.Contains(names, e.Tool):
	case len(names) == 0:
		c.fail(at, Problem{
			Expected: "no eval", Text: "the panel has no tool that an eval could call",
			Fix: `"evals": []`,
		}, "")
	case e.Tool == "":
		c.fail(at+"/tool", Problem{
			Expected: "a tool of the panel", Text: "the eval calls nothing; name one of the panel's tools",
		}, quote(names[0]))
	default:
		p := Problem{Expected: "a tool of the panel", Nearest: near}
		p.Text = fmt.Sprintf("the panel has no tool %q; an eval calls the panel's own tools",
			excerpt.TruncateRunes(e.Tool, 60))
		if near == "" {
			near = names[0]
		}
		c.fail(at+"/tool", p, quote(near))
	}
}

// Arguments need not be valid if they contain references or the call should fail.
func (c *checker) checkEvalArgs(at string, e Eval, bound []BoundTool, answers []string) {
	if len(e.Args) == 0 || !c.usable(at) {
		return
	}
	var args any
	if err := json.Unmarshal(e.Args, &args); err != nil {
		return
	}
	refers := false
	eachString(at, args, func(pointer, text string) {
		answer, _, ok := ParseReference(text)
		refers = refers || ok
		if !ok || slices.Contains(answers, answer) {
			return
		}
		near := nearest.Name(answer, answers)
		right := "…"
		if near != "" {
			right = strings.Replace(text, "{"+answer, "{"+near, 1)
		}
		c.fail(pointer, Problem{
			Expected: "the answer of an earlier eval", Nearest: near,
			Text: fmt.Sprintf("no earlier eval names its answer %q", answer),
		}, quote(right))
	})
	i := slices.IndexFunc(bound, func(b BoundTool) bool { return b.Name == e.Tool })
	if refers || i < 0 || e.Expect.Success != nil && !*e.Expect.Success || !c.usable(at) {
		return
	}
	compiled, err := argschema.Compile(bound[i].Def.Parameters)
	if err != nil {
		return
	}
	if why, right := argschema.CheckExample(bound[i].Def, compiled, e.Args); why != "" {
		c.fail(at, Problem{
			Expected: "arguments that fit the parameters of " + e.Tool,
			Text: fmt.Sprintf("the arguments do not fit the parameters of %s: %s", e.Tool,
				excerpt.TruncateRunes(why, 500)),
		}, string(right))
	}
}

func eachString(pointer string, value any, visit func(pointer, text string)) {
	switch v := value.(type) {
	case string:
		visit(pointer, v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			eachString(jsonpos.Pointer(pointer, name), v[name], visit)
		}
	case []any:
		for i, item := range v {
			eachString(jsonpos.Pointer(pointer, strconv.Itoa(i)), item, visit)
		}
	}
}
