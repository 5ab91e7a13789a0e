package search

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"sextant/shared/toolspec"
)

const (
	maxDescription = 160
	maxParameter   = 60
	maxSignature   = 500
	maxChoices     = 12
)

// Summary lists defs for a model, each as a signature and its description.
func Summary(defs []toolspec.Definition) string {
	lines := make([]string, len(defs))
	for i, d := range defs {
		lines[i] = signature(d) + "\n  " + oneLine(d.Description, maxDescription)
	}
	return strings.Join(lines, "\n")
}

type property struct {
	Type        any                 `json:"type"`
	Description string              `json:"description"`
	Enum        []any               `json:"enum"`
	Properties  map[string]property `json:"properties"`
	Required    []string            `json:"required"`
	Items       *property           `json:"items"`
}

// signature returns d as name({argument: type, …}), with required arguments first, then by name. A long one loses the
// descriptions of its arguments and is cut.
func signature(d toolspec.Definition) string {
	var p property
	if json.Unmarshal(d.Parameters, &p) != nil {
		return d.Name + "({…})"
	}
	text := d.Name + "(" + p.object(true, 0) + ")"
	if len(text) > maxSignature {
		text = d.Name + "(" + p.object(false, 0) + ")"
	}
	return oneLine(text, maxSignature)
}

func (p property) object(explained bool, depth int) string {
	if len(p.Properties) == 0 || depth > 3 {
		return "{}"
	}
	names := make([]string, 0, len(p.Properties))
	for name := range p.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return p.rank(a) - p.rank(b)
	})
	parts := make([]string, len(names))
	for i, name := range names {
		inner := p.Properties[name]
		mark := ""
		if p.rank(name) == 1 {
			mark = "?"
		}
		parts[i] = name + mark + ": " + inner.kind(explained, depth)
		if explained && inner.Description != "" {
			parts[i] += " /* " + oneLine(strings.ReplaceAll(inner.Description, "*/", "* /"), maxParameter) + " */"
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (p property) rank(name string) int {
	if slices.Contains(p.Required, name) {
		return 0
	}
	return 1
}

func (p property) kind(explained bool, depth int) string {
	if len(p.Enum) > 0 {
		var choices []string
		for _, v := range p.Enum[:min(len(p.Enum), maxChoices)] {
			b, err := json.Marshal(v)
			if err != nil {
				continue
			}
			choices = append(choices, string(b))
		}
		if len(p.Enum) > maxChoices {
			choices = append(choices, "…")
		}
		return strings.Join(choices, "|")
	}
	kind, _ := p.Type.(string)
	switch {
	case kind == "object" && len(p.Properties) > 0:
		return p.object(explained, depth+1)
	case kind == "array" && p.Items != nil:
		return p.Items.kind(explained, depth+1) + "[]"
	case kind == "":
		return "any"
	}
	return kind
}

func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	cut := string([]rune(text)[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > n*2/3 {
		cut = cut[:i]
	}
	return cut + "…"
}
