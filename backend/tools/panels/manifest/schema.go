package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/backend/tools/panels/argschema"
	"sextant/backend/tools/panels/manifest/loose"
)

// maxSchema bounds the parameters of one tool in bytes.
const maxSchema = 64 << 10

// schema is a tool's parameters as JSON Schema, its required list kept apart so that
// path parameters and injected ones can be added and taken away.
type schema struct {
	members    map[string]json.RawMessage
	properties map[string]json.RawMessage
	required   []string
	// short is true when the manifest had the short form.
	short    bool
	compiled *jsonschema.Schema
}

// schemaFault is why parameters cannot be used: pointer is inside them, fix a right value.
type schemaFault struct{ pointer, expected, text, fix string }

func (s schema) has(name string) bool {
	_, ok := s.properties[name]
	return ok
}

func (s schema) names() []string { return slices.Sorted(maps.Keys(s.properties)) }

func (s schema) json() json.RawMessage {
	members := maps.Clone(s.members)
	delete(members, "required")
	if len(s.required) > 0 {
		members["required"], _ = json.Marshal(s.required) // a list of strings is always JSON
	}
	b, err := json.Marshal(members)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return b
}

// parameters reads a tool's parameters in either form.
func parameters(raw json.RawMessage) (s schema, fault *schemaFault) {
	const form = "a JSON Schema of an object, or names with their schemas"
	if len(raw) > maxSchema {
		return s, &schemaFault{"", fmt.Sprintf("at most %d KB", maxSchema>>10), fmt.Sprintf("parameters are larger than %d KB", maxSchema>>10), ""}
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		raw = []byte("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return s, &schemaFault{"", form, "parameters should be an object: " + form, ""}
	}
	if isSchema(members) {
		s, fault = fullForm(members)
	} else {
		s, fault = shortForm(members)
	}
	if fault != nil {
		return s, fault
	}
	text := s.json()
	if argschema.Plain(text) {
		return s, nil // compiled only for who has an example to hold against it
	}
	compiled, err := argschema.Compile(text)
	if err != nil {
		where, why := argschema.Explain(err)
		if s.short {
			where = strings.TrimPrefix(where, "/properties")
		}
		return s, &schemaFault{where, "what JSON Schema allows", "parameters are not a JSON Schema: " + why, mendedKeyword(where, s, raw)}
	}
	s.compiled = compiled
	return s, nil
}

// mendedKeyword is a right value for the keyword at pointer, "" where only the whole schema
// can be replaced.
func mendedKeyword(pointer string, s schema, raw json.RawMessage) string {
	root := loose.Parse(raw).Root
	at := root
	for _, part := range strings.Split(pointer, "/")[min(1, len(pointer)):] {
		if next := at.Get(unescaped(part)); next != nil {
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
		if near := nearestOf(at.Text, kinds); near != "" {
			return loose.Quote(near)
		}
		return `"string"`
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		fix := (&shape{kind: loose.Number, whole: true, low: 1, sample: "1"}).coerced(at)
		return fix
	case "enum", "examples":
		if at.Kind == loose.String {
			return (&shape{kind: loose.Array, items: &shape{kind: loose.String}, sample: "[]"}).coerced(at)
		}
		return `["a", "b"]`
	case "pattern":
		return `".*"`
	case "description", "title", "format":
		return (&shape{kind: loose.String, sample: `"…"`}).coerced(at)
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

func fullForm(members map[string]json.RawMessage) (schema, *schemaFault) {
	s := schema{members: maps.Clone(members), properties: map[string]json.RawMessage{}}
	if t, ok := members["type"]; ok && string(bytes.TrimSpace(t)) != `"object"` {
		return s, &schemaFault{"/type", `"object"`, fmt.Sprintf("parameters have type %s; the top level is an object", Cut(string(t), 40)), `"object"`}
	}
	s.members["type"] = json.RawMessage(`"object"`)
	if p, ok := members["properties"]; ok {
		if err := json.Unmarshal(p, &s.properties); err != nil || s.properties == nil {
			return s, &schemaFault{"/properties", "an object: names with their schemas", "properties should be an object: names with their schemas", "{}"}
		}
	} else {
		s.members["properties"] = json.RawMessage(`{}`)
	}
	for _, name := range s.names() {
		if b := bytes.TrimSpace(s.properties[name]); len(b) > 0 && b[0] != '{' && b[0] != 't' && b[0] != 'f' {
			return s, &schemaFault{"/properties" + child("", name), `an object such as {"type": "string"}`, fmt.Sprintf("parameter %q should be an object such as {\"type\": \"string\"}", Cut(name, 60)), typed(b)}
		}
	}
	if r, ok := members["required"]; ok {
		if err := json.Unmarshal(r, &s.required); err != nil {
			return s, &schemaFault{"/required", "a list of names", "required should be a list of names", "[" + strings.Join(quotedAll(s.names()), ", ") + "]"}
		}
	}
	for i, r := range s.required {
		if !s.has(r) {
			near := nearestOf(r, s.names())
			if near == "" || slices.Contains(s.required, near) {
				rest := slices.DeleteFunc(slices.Clone(s.required), func(name string) bool { return !s.has(name) })
				return s, &schemaFault{"/required", "names of properties", fmt.Sprintf("%q is required but not among the properties", Cut(r, 60)), listed(rest)}
			}
			return s, &schemaFault{
				fmt.Sprintf("/required/%d", i), "a name of a property", fmt.Sprintf("%q is required but not among the properties; did you mean %q", Cut(r, 60), near), loose.Quote(near),
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
			if near := nearestOf(name, []string{"string", "number", "integer", "boolean", "array", "object"}); near != "" {
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

func shortForm(members map[string]json.RawMessage) (schema, *schemaFault) {
	s := schema{properties: map[string]json.RawMessage{}, short: true}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(members[name], &one); err != nil || one == nil {
			return s, &schemaFault{child("", name), `an object such as {"type": "string"}`, fmt.Sprintf("parameter %q should be an object such as {\"type\": \"string\"}", Cut(name, 60)), typed(bytes.TrimSpace(members[name]))}
		}
		// In the short form required is true or false; inside an object's own schema it is
		// a list and stays.
		switch r := strings.TrimSpace(string(one["required"])); r {
		case "true", "false":
			if r == "true" {
				s.required = append(s.required, name)
			}
			delete(one, "required")
		case `"true"`, `"false"`, `"yes"`, `"no"`, "1", "0":
			fix := map[bool]string{true: "true", false: "false"}[r == `"true"` || r == `"yes"` || r == "1"]
			return s, &schemaFault{child("", name) + "/required", "true or false", fmt.Sprintf("required of %q should be true or false", Cut(name, 60)), fix}
		}
		b, err := json.Marshal(one)
		if err != nil {
			return s, &schemaFault{child("", name), "JSON", fmt.Sprintf("parameter %q: %s", Cut(name, 60), err), ""}
		}
		s.properties[name] = b
	}
	properties, err := json.Marshal(s.properties)
	if err != nil {
		return s, &schemaFault{"", "JSON", err.Error(), ""}
	}
	s.members = map[string]json.RawMessage{
		"type": json.RawMessage(`"object"`), "properties": properties, "additionalProperties": json.RawMessage("false"),
	}
	return s, nil
}
