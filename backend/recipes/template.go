package recipes

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

// Placeholder matches {{name}}; its group is the name. {{secret:name}} is left to the pipeline.
var Placeholder = regexp.MustCompile(`\{\{([a-z][a-z0-9_]*)\}\}`)

// usedParameters returns the names of the parameters that texts mention, sorted.
func usedParameters(texts ...string) []string {
	var names []string
	for _, text := range texts {
		for _, m := range Placeholder.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fill replaces the placeholders in text by values. Placeholders in a value are not replaced again.
func fill(text string, values map[string]string) string {
	return Placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if v, ok := values[found[2:len(found)-2]]; ok {
			return v
		}
		return found
	})
}

// Fill returns the recipe with values in place of its parameters.
func Fill(rec recipe.Recipe, values map[string]string) recipe.Recipe {
	change := func(text string) string { return fill(text, values) }
	steps := make([]recipe.Step, len(rec.Steps))
	for i, s := range rec.Steps {
		var args any
		if json.Unmarshal(s.Args, &args) == nil {
			if text, err := encode(mapTexts(args, change)); err == nil {
				s.Args = text
			}
		}
		s.Expect = mapEffect(s.Expect, change)
		steps[i] = s
	}
	rec.Parameters, rec.Steps = nil, steps
	return rec
}

// mapTexts returns v, a decoded JSON value, with change applied to all of its strings.
func mapTexts(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = mapTexts(item, change)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = mapTexts(item, change)
		}
		return out
	}
	return v
}

func mapReference(r annotation.Reference, change func(string) string) annotation.Reference {
	r.Name, r.Row, r.Group = change(r.Name), change(r.Row), change(r.Group)
	near := make([]string, len(r.Near))
	for i, name := range r.Near {
		near[i] = change(name)
	}
	r.Near = near
	return r
}

func mapOutput(o recipe.Output, change func(string) string) recipe.Output {
	o.Label, o.Until = change(o.Label), change(o.Until)
	return o
}

func mapEffect(e *recipe.Effect, change func(string) string) *recipe.Effect {
	if e == nil {
		return nil
	}
	out := recipe.Effect{Event: e.Event, URL: change(e.URL)}
	for _, r := range e.Appears {
		out.Appears = append(out.Appears, mapReference(r, change))
	}
	for _, text := range e.Texts {
		out.Texts = append(out.Texts, change(text))
	}
	return &out
}

// mention returns text with {{name}} in place of value, where value is whole words of it. Case is ignored.
func mention(text, value, name string) string {
	if len([]rune(value)) < 2 {
		return text
	}
	found, err := regexp.Compile(`(?i)(^|[^\p{L}\p{N}])` + regexp.QuoteMeta(value) + `($|[^\p{L}\p{N}])`)
	if err != nil || strings.Contains(text, "{{") {
		return text
	}
	return found.ReplaceAllString(text, "${1}{{"+name+"}}${2}")
}
