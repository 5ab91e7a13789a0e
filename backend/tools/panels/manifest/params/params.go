// Package params reads the parameters of a panel's tool: a JSON Schema of an object, or the
// short form, an object from name to schema with "required": true inside. Both become one
// JSON Schema, of which the judge of the manifest may still take names away or add some.
//
// References are not followed and nothing is fetched; argschema holds that.
package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/backend/calls/nearest"
	"sextant/backend/tools/panels/argschema"
	"sextant/backend/tools/panels/jsonpos"
	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/shared/clip"
)

// maxSchema bounds the parameters of one tool in bytes.
const maxSchema = 64 << 10

// Schema is a tool's parameters as JSON Schema, its required list kept apart so that
// path parameters and injected ones can be added and taken away.
type Schema struct {
	members map[string]json.RawMessage
	// Properties are the parameters' own schemas by name, nil when the parameters could not
	// be read.
	Properties map[string]json.RawMessage
	Required   []string
	// Short is true when the manifest had the short form.
	Short bool
	// Compiled is nil for a plain schema, which needs it for its examples alone.
	Compiled *jsonschema.Schema
}

// Fault is why parameters cannot be used: Pointer is inside them, Expected a phrase, Text a
// sentence, and Fix a right value as JSON, "" where there is no telling.
type Fault struct{ Pointer, Expected, Text, Fix string }

// Has reports whether there is a parameter called name.
func (s Schema) Has(name string) bool {
	_, ok := s.Properties[name]
	return ok
}

// Names are the parameters in order.
func (s Schema) Names() []string { return slices.Sorted(maps.Keys(s.Properties)) }

// JSON is the schema as a text.
func (s Schema) JSON() json.RawMessage {
	members := maps.Clone(s.members)
	delete(members, "required")
	if len(s.Required) > 0 {
		members["required"], _ = json.Marshal(s.Required) // a list of strings is always JSON
	}
	b, err := json.Marshal(members)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return b
}

// Read reads a tool's parameters in either form.
func Read(raw json.RawMessage) (s Schema, fault *Fault) {
	const form = "a JSON Schema of an object, or names with their schemas"
	if len(raw) > maxSchema {
		return s, &Fault{"", fmt.Sprintf("at most %d KB", maxSchema>>10), fmt.Sprintf("parameters are larger than %d KB", maxSchema>>10), ""}
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		raw = []byte("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return s, &Fault{"", form, "parameters should be an object: " + form, ""}
	}
	if isSchema(members) {
		s, fault = fullForm(members)
	} else {
		s, fault = shortForm(members)
	}
	if fault != nil {
		return s, fault
	}
	text := s.JSON()
	if argschema.Plain(text) {
		return s, nil // compiled only for who has an example to hold against it
	}
	compiled, err := argschema.Compile(text)
	if err != nil {
		where, why := argschema.Explain(err)
		if s.Short {
			where = strings.TrimPrefix(where, "/properties")
		}
		return s, &Fault{where, "what JSON Schema allows", "parameters are not a JSON Schema: " + why, mendedKeyword(where, s, raw)}
	}
	s.Compiled = compiled
	return s, nil
}

// mendedKeyword is a right value for the keyword at pointer, "" where only the whole schema
// can be replaced.
func mendedKeyword(pointer string, s Schema, raw json.RawMessage) string {
	root := loose.Parse(raw).Root
	at := root
	for _, part := range jsonpos.Parts(pointer) {
		if next := at.Get(part); next != nil {
			at = next
		} else {
			return ""
		}
	}
	keyword := pointer[strings.LastIndexByte(pointer, '/')+1:]
	switch keyword {
	case "type":
		kinds := []string{"string", "number", "integer", "boolean", "array", "object", "null"}
		also := map[string]string{
			"str": "string", "text": "string", "date": "string", "datetime": "string", "file": "string", "url": "string", "int": "integer", "long": "integer",
			"float": "number", "double": "number", "decimal": "number", "bool": "boolean", "list": "array", "dict": "object", "map": "object", "any": "string", "enum": "string",
		}
		if other := also[strings.ToLower(at.Text)]; other != "" {
			return loose.Quote(other)
		}
		if near := nearest.Name(at.Text, kinds); near != "" {
			return loose.Quote(near)
		}
		return `"string"`
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		fix := (&shape.Shape{Kind: loose.Number, Whole: true, Low: 1, Sample: "1"}).Coerced(at)
		return fix
	case "enum", "examples":
		if at.Kind == loose.String {
			return (&shape.Shape{Kind: loose.Array, Items: &shape.Shape{Kind: loose.String}, Sample: "[]"}).Coerced(at)
		}
		return `["a", "b"]`
	case "pattern":
		return `".*"`
	case "description", "title", "format":
		return (&shape.Shape{Kind: loose.String, Sample: `"…"`}).Coerced(at)
	case "required":
		return "[]"
	case "properties":
		return "{}"
	case "additionalProperties", "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return "false"
	case "items":
		return `{"type": "string"}`
	}
	return ""
}

// isSchema tells a JSON Schema from the short form, in which a parameter may well be
// called "type" or "properties": there the member is an object with a type of its own.
func isSchema(members map[string]json.RawMessage) bool {
	first := func(name string) byte {
		if b := bytes.TrimSpace(members[name]); len(b) > 0 {
			return b[0]
		}
		return 0
	}
	if first("type") == '"' || first("required") == '[' || first("$schema") == '"' {
		return true
	}
	var properties struct {
		Type json.RawMessage `json:"type"`
	}
	return first("properties") == '{' && json.Unmarshal(members["properties"], &properties) == nil &&
		!bytes.HasPrefix(bytes.TrimSpace(properties.Type), []byte(`"`))
}

func fullForm(members map[string]json.RawMessage) (Schema, *Fault) {
	s := Schema{members: maps.Clone(members), Properties: map[string]json.RawMessage{}}
	if t, ok := members["type"]; ok && string(bytes.TrimSpace(t)) != `"object"` {
		return s, &Fault{"/type", `"object"`, fmt.Sprintf("parameters have type %s; the top level is an object", clip.Runes(string(t), 40)), `"object"`}
	}
	s.members["type"] = json.RawMessage(`"object"`)
	if p, ok := members["properties"]; ok {
		if err := json.Unmarshal(p, &s.Properties); err != nil || s.Properties == nil {
			return s, &Fault{"/properties", "an object: names with their schemas", "properties should be an object: names with their schemas", "{}"}
		}
	} else {
		s.members["properties"] = json.RawMessage(`{}`)
	}
	for _, name := range s.Names() {
		if b := bytes.TrimSpace(s.Properties[name]); len(b) > 0 && b[0] != '{' && b[0] != 't' && b[0] != 'f' {
			return s, &Fault{"/properties" + jsonpos.Pointer("", name), `an object such as {"type": "string"}`, fmt.Sprintf("parameter %q should be an object such as {\"type\": \"string\"}", clip.Runes(name, 60)), typed(b)}
		}
	}
	if r, ok := members["required"]; ok {
		if err := json.Unmarshal(r, &s.Required); err != nil {
			return s, &Fault{"/required", "a list of names", "required should be a list of names", loose.QuoteList(s.Names())}
		}
	}
	for i, r := range s.Required {
		if !s.Has(r) {
			near := nearest.Name(r, s.Names())
			if near == "" || slices.Contains(s.Required, near) {
				rest := slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return !s.Has(name) })
				return s, &Fault{"/required", "names of properties", fmt.Sprintf("%q is required but not among the properties", clip.Runes(r, 60)), loose.QuoteList(rest)}
			}
			return s, &Fault{
				fmt.Sprintf("/required/%d", i), "a name of a property", fmt.Sprintf("%q is required but not among the properties; did you mean %q", clip.Runes(r, 60), near), loose.Quote(near),
			}
		}
	}
	return s, nil
}

// typed is a schema for what stands in its place: the name of a type, or an example value.
func typed(raw []byte) string {
	switch {
	case raw[0] == '[':
		return `{"type": "array", "items": {"type": "string"}}`
	case raw[0] == '"':
		var name string
		if json.Unmarshal(raw, &name) == nil {
			if near := nearest.Name(name, []string{"string", "number", "integer", "boolean", "array", "object"}); near != "" {
				return `{"type": ` + loose.Quote(near) + `}`
			}
		}
	case raw[0] == 't' || raw[0] == 'f':
		return `{"type": "boolean"}`
	case raw[0] != 'n':
		return `{"type": "number"}`
	}
	return `{"type": "string"}`
}

func shortForm(members map[string]json.RawMessage) (Schema, *Fault) {
	s := Schema{Properties: map[string]json.RawMessage{}, Short: true}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(members[name], &one); err != nil || one == nil {
			return s, &Fault{jsonpos.Pointer("", name), `an object such as {"type": "string"}`, fmt.Sprintf("parameter %q should be an object such as {\"type\": \"string\"}", clip.Runes(name, 60)), typed(bytes.TrimSpace(members[name]))}
		}
		// In the short form required is true or false; inside an object's own schema it is
		// a list and stays.
		switch r := strings.TrimSpace(string(one["required"])); r {
		case "true", "false":
			if r == "true" {
				s.Required = append(s.Required, name)
			}
			delete(one, "required")
		case `"true"`, `"false"`, `"yes"`, `"no"`, "1", "0":
			fix := map[bool]string{true: "true", false: "false"}[r == `"true"` || r == `"yes"` || r == "1"]
			return s, &Fault{jsonpos.Pointer("", name) + "/required", "true or false", fmt.Sprintf("required of %q should be true or false", clip.Runes(name, 60)), fix}
		}
		b, err := json.Marshal(one)
		if err != nil {
			return s, &Fault{jsonpos.Pointer("", name), "JSON", fmt.Sprintf("parameter %q: %s", clip.Runes(name, 60), err), ""}
		}
		s.Properties[name] = b
	}
	properties, err := json.Marshal(s.Properties)
	if err != nil {
		return s, &Fault{"", "JSON", err.Error(), ""}
	}
	s.members = map[string]json.RawMessage{
		"type": json.RawMessage(`"object"`), "properties": properties, "additionalProperties": json.RawMessage("false"),
	}
	return s, nil
}
