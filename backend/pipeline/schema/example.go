package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c checker) fail(problems ...problem) *toolspec.Result {
	var what, fixes []string
	missing := ""
	for _, p := range problems {
		what = append(what, p.what)
		if p.fix != "" && !slices.Contains(fixes, p.fix) {
			fixes = append(fixes, p.fix)
		}
		if missing == "" {
			missing = p.missing
		}
	}
	text := strings.Join(what, "; ")
	if example, ok := c.example(missing); ok {
		text += ". For example " + c.def.Name + "(" + example + ")"
	}
	r := toolspec.Fail(toolspec.ValidationError, text, strings.Join(fixes, " "))
	return &r
}

// example returns a correct argument object: the definition's first example that has the missing parameter, else its
// first correct example, else one built from the schema.
func (c checker) example(missing string) (string, bool) {
	first := ""
	for _, raw := range c.def.Examples {
		object, ok := c.correct(raw)
		if !ok {
			continue
		}
		text := excerpt.TruncateRunes(string(raw), 400)
		if _, shown := object[missing]; shown {
			return text, true
		}
		if first == "" {
			first = text
		}
	}
	if first != "" {
		return first, true
	}
	built, err := encode(sample(c.schema, 0))
	if err != nil {
		return "", false
	}
	if _, ok := c.correct(built); !ok {
		return "", false
	}
	return string(built), true
}

// Example returns a correct argument object for def. It keeps the correct arguments of args and adds the missing
// required ones. It returns {} if it cannot build one.
func (c *Checker) Example(def toolspec.Definition, args json.RawMessage) json.RawMessage {
	sch, err := c.compile(def.Parameters)
	if err != nil {
		return json.RawMessage("{}")
	}
	k := checker{def: def, schema: sch}
	needed, _ := sample(sch, 0).(map[string]any)
	object := map[string]any{}
	for name, value := range needed {
		object[name] = value
	}
	if given, problem := k.parse(args); problem == nil {
		for name, value := range given {
			before, had := object[name]
			object[name] = value
			if b, err := encode(object); err == nil && sch.Properties[name] != nil {
				if _, ok := k.correct(b); ok {
					continue
				}
			}
			if delete(object, name); had {
				object[name] = before
			}
		}
	}
	b, err := encode(object)
	if err != nil {
		return json.RawMessage("{}")
	}
	if _, ok := k.correct(b); !ok {
		return json.RawMessage("{}")
	}
	return b
}

func (c checker) correct(raw json.RawMessage) (map[string]any, bool) {
	object, problem := c.parse(raw)
	if problem != nil {
		return nil, false
	}
	fillDefaults(c.schema, object, 0)
	return object, len(c.validate(object)) == 0
}

func sample(sch *jsonschema.Schema, depth int) any {
	if sch == nil || depth > 8 {
		return "…"
	}
	switch {
	case sch.Const != nil:
		return *sch.Const
	case sch.Default != nil:
		return *sch.Default
	case len(sch.Examples) > 0:
		return sch.Examples[0]
	case sch.Enum != nil && len(sch.Enum.Values) > 0:
		return sch.Enum.Values[0]
	case sch.Ref != nil:
		return sample(sch.Ref, depth+1)
	}
	kind := "object"
	if sch.Types != nil {
		if names := sch.Types.ToStrings(); len(names) > 0 {
			kind = names[0]
		}
	} else if depth > 0 && len(sch.Properties) == 0 {
		kind = "string"
	}
	switch kind {
	case "object":
		return sampleObject(sch, depth)
	case "array":
		return sampleArray(sch, depth)
	case "boolean":
		return true
	case "null":
		return nil
	case "number", "integer":
		return sampleNumber(sch)
	}
	return sampleText(sch)
}

func sampleObject(sch *jsonschema.Schema, depth int) any {
	object := map[string]any{}
	for _, name := range sch.Required {
		object[name] = sample(sch.Properties[name], depth+1)
	}
	return object
}

func sampleArray(sch *jsonschema.Schema, depth int) any {
	array := []any{}
	if sch.MinItems != nil {
		for i := 0; i < min(*sch.MinItems, 3); i++ {
			array = append(array, sample(itemSchema(sch, i), depth+1))
		}
	}
	return array
}

func sampleNumber(sch *jsonschema.Schema) any {
	if sch.Minimum != nil && sch.Minimum.Sign() > 0 && sch.Minimum.IsInt() {
		return json.Number(sch.Minimum.Num().String())
	}
	if sch.Maximum != nil && sch.Maximum.Sign() < 0 && sch.Maximum.IsInt() {
		return json.Number(sch.Maximum.Num().String())
	}
	return json.Number("1")
}

func sampleText(sch *jsonschema.Schema) any {
	if sch.MinLength != nil && *sch.MinLength > 3 && *sch.MinLength <= 100 {
		return strings.Repeat("x", *sch.MinLength)
	}
	return "…"
}
