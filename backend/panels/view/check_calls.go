package view

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/toolprovider/jsonpos"
	"sextant/shared/excerpt"
)

type parameters struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	// Additional is false if no other arguments are allowed. nil means true.
	Additional *bool `json:"additionalProperties"`
}

func (t Tool) parameters() parameters {
	var p parameters
	// The check of the manifest reports other forms of schemas.
	_ = json.Unmarshal(t.Parameters, &p)
	return p
}

func (c *checker) tool(pointer string, m member, name string) {
	found, ok := c.find(name)
	switch {
	case !ok:
		names := make([]string, 0, len(c.tools))
		for _, t := range c.tools {
			if m.form == isTool || t.ReadOnly {
				names = append(names, t.Name)
			}
		}
		p := Problem{
			Expected: "a tool of this panel", Found: strconv.Quote(excerpt.TruncateRunes(name, 60)),
			Nearest: near(name, names), Fix: m.example,
		}
		p.Text = fmt.Sprintf("the panel has no tool %s; it has %s", p.Found, strings.Join(names, ", "))
		if len(names) == 0 {
			p.Text = fmt.Sprintf("the panel has no tool %s; declare it in manifest.json", p.Found)
		} else {
			p.Fix = strconv.Quote(names[0])
		}
		if p.Nearest != "" {
			p.Fix, p.Text = strconv.Quote(p.Nearest), fmt.Sprintf("the panel has no tool %s", p.Found)
		}
		c.fail(pointer, p)
	case m.form == isReader && !found.ReadOnly:
		p := Problem{
			Expected: "a tool that only reads", Found: name,
			Text: fmt.Sprintf("%s changes something, but a source may only read; use a tool whose endpoint is GET",
				name),
		}
		if reader := c.reader(); reader != "" {
			p.Fix = strconv.Quote(reader)
		}
		c.fail(pointer, p)
	}
}

func (c *checker) find(name string) (Tool, bool) {
	for _, t := range c.tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

func (c *checker) calls(pointer, shape string, object map[string]any) {
	name, ok := object["tool"].(string)
	if !ok {
		return
	}
	tool, ok := c.find(name)
	if !ok || shape == "source" && !tool.ReadOnly {
		return
	}
	p := tool.parameters()
	args, _ := object["args"].(map[string]any)
	if shape == "source" {
		if c.sources[string(jsonOf(object))] = true; len(c.sources) == maxSources+1 {
			c.fail(pointer, Problem{
				Expected: fmt.Sprintf("at most %d sources", maxSources),
				Text:     fmt.Sprintf("a page reads from at most %d sources", maxSources),
			})
		}
	}
	given := map[string]string{}
	for arg := range args {
		given[arg] = jsonpos.Pointer(pointer+"/args", arg)
	}
	fields, _ := object["fields"].([]any)
	for i, f := range fields {
		if field, ok := f.(string); ok {
			given[field] = pointer + "/fields/" + strconv.Itoa(i)
		}
	}
	if shape == "check" {
		set, _ := object["set"].(string)
		at := pointer + "/set"
		if set == "" {
			set, _ = object["field"].(string)
			at = pointer + "/field"
		}
		given[set] = at
	}
	for _, arg := range slices.Sorted(maps.Keys(given)) {
		c.argument(given[arg], name, arg, p)
	}
	if shape == "form" && len(fields) == 0 {
		// The form asks for all parameters.
		return
	}
	for _, need := range p.Required {
		if _, ok := given[need]; !ok {
			fix := fmt.Sprintf(`"args": {%q: "{%s}"}`, need, need)
			c.fail(pointer, Problem{
				Expected: need, Fix: fix,
				Text: fmt.Sprintf("%s needs %s; give it, as in %s", name, need, fix),
			})
		}
	}
}

func (c *checker) argument(pointer, tool, name string, p parameters) {
	if _, ok := p.Properties[name]; ok || p.Additional == nil || *p.Additional {
		return
	}
	known := slices.Sorted(maps.Keys(p.Properties))
	problem := Problem{
		Expected: strings.Join(known, ", "), Found: strconv.Quote(excerpt.TruncateRunes(name, 60)),
		Nearest: near(name, known),
	}
	problem.Text = fmt.Sprintf("%s takes no %s; it takes %s", tool, problem.Found, problem.Expected)
	if len(known) == 0 {
		problem.Text = fmt.Sprintf("%s takes no arguments", tool)
	}
	if problem.Nearest != "" {
		problem.Fix = strconv.Quote(problem.Nearest)
	}
	c.fail(pointer, problem)
}

func jsonOf(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
