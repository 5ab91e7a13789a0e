package shape

import (
	"bytes"
	"encoding/json"
	"strings"

	"sextant/backend/tools/panels/manifest/loose"
)

// SchemaName is what the published JSON Schema of the manifest is called.
const SchemaName = "panel-manifest.v1.json"

// JSONSchema is the JSON Schema (draft 2020-12) of version 1, written from the shapes that
// the judge walks along. What it accepts may still have problems that a schema cannot say, such
// as an endpoint of another panel; what it refuses package manifest refuses too.
func JSONSchema() []byte {
	root := append(ordered{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", "urn:sextant:panel-manifest:1"},
		{"title", "Sextant panel manifest, version 1"},
	}, Manifest().schema(true)...)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return []byte("{}")
	}
	return b.Bytes()
}

// ordered is a JSON object whose members stand in the order they were written.
type ordered []struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(loose.Quote(m.name) + ":")
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (o *ordered) add(name string, value any) {
	*o = append(*o, struct {
		name  string
		value any
	}{name, value})
}

// schema is s as JSON Schema; top keeps the example out, which is a file of its own.
func (s *Shape) schema(top bool) ordered {
	var o ordered
	if s.about != "" {
		o.add("description", s.about)
	}
	if len(s.Either) > 0 {
		var all []ordered
		for _, e := range s.Either {
			all = append(all, e.schema(false))
		}
		o.add("anyOf", all)
	} else {
		s.constraints(&o)
	}
	if s.Sample != "" && !top {
		o.add("examples", []json.RawMessage{json.RawMessage(s.Sample)})
	}
	return o
}

func (s *Shape) constraints(o *ordered) {
	switch s.Kind {
	case loose.Bool:
		o.add("type", "boolean")
	case loose.Number:
		o.add("type", "integer")
		if s.High != 0 {
			o.add("minimum", s.Low)
			o.add("maximum", s.High)
		}
	case loose.String:
		o.add("type", "string")
		if len(s.Names) > 0 {
			o.add("enum", append(append([]string{}, s.Names...), s.Own...))
		}
		if s.pattern != "" {
			o.add("pattern", s.pattern)
		}
		if s.High != 0 {
			o.add("maxLength", s.High)
		}
	case loose.Array:
		o.add("type", "array")
		if s.Items != nil {
			o.add("items", s.Items.schema(false))
		}
		if s.High != 0 {
			o.add("maxItems", s.High)
		}
	case loose.Object:
		s.object(o)
	}
}

func (s *Shape) object(o *ordered) {
	o.add("type", "object")
	var needed []string
	if len(s.Members) > 0 {
		var properties ordered
		for _, m := range s.Members {
			properties.add(m.Name, m.Shape.schema(false))
			if m.Need {
				needed = append(needed, m.Name)
			}
		}
		o.add("properties", properties)
	}
	if len(needed) > 0 {
		o.add("required", needed)
	}
	if s.Strict {
		o.add("additionalProperties", false)
	}
	if s.Values != nil {
		o.add("additionalProperties", s.Values.schema(false))
	}
	var rules []ordered
	for _, kind := range s.kinds() {
		need := strings.Split(s.Needs[kind], "|")
		var then ordered
		if len(need) == 1 {
			then.add("required", need)
		} else {
			var any []ordered
			for _, name := range need {
				any = append(any, ordered{{"required", []string{name}}})
			}
			then.add("anyOf", any)
		}
		rules = append(rules, ordered{
			{"if", ordered{{"properties", ordered{{"kind", ordered{{"const", kind}}}}}, {"required", []string{"kind"}}}},
			{"then", then},
		})
	}
	if len(rules) > 0 {
		o.add("allOf", rules)
	}
}

// kinds are the names of needs in the order of the member "kind".
func (s *Shape) kinds() []string {
	var out []string
	if m := s.Member("kind"); m != nil {
		for _, name := range m.Shape.Names {
			if s.Needs[name] != "" {
				out = append(out, name)
			}
		}
	}
	return out
}
