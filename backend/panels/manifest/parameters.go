package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sextant/backend/pipeline/nearest"
	"sextant/backend/toolprovider/argschema"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/shared/excerpt"
)

const maxParameters = 64 << 10

// parameters is the JSON Schema of a tool's parameters. The required list is separate, so that path parameters can be
// added to it and injected parameters removed.
type parameters struct {
	members map[string]json.RawMessage
	// properties maps the names of the parameters to their schemas. It is nil if they could not be read.
	properties map[string]json.RawMessage
	required   []string
	short      bool
	// compiled is nil for a simple schema, or if required was changed. It is then made only to check examples.
	compiled *jsonschema.Schema
}

// parametersFault says why parameters are invalid. pointer is relative to them, and fix is a valid value as JSON, "" if
// none is known.
type parametersFault struct{ pointer, expected, text, fix string }

func (p parameters) has(name string) bool {
	_, ok := p.properties[name]
	return ok
}

func (p parameters) names() []string { return slices.Sorted(maps.Keys(p.properties)) }

func (p parameters) json() json.RawMessage {
	members := maps.Clone(p.members)
	delete(members, "required")
	if len(p.required) > 0 {
		members["required"], _ = json.Marshal(p.required) // marshaling a list of strings never fails
	}
	b, err := json.Marshal(members)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return b
}

// readParameters reads the JSON Schema of an object, or the short form: names with their schemas, which may contain
// "required": true. References may lead only to places in the same schema.
func readParameters(raw json.RawMessage) (p parameters, fault *parametersFault) {
	if len(raw) > maxParameters {
		limit := fmt.Sprintf("%d KB", maxParameters>>10)
		return p, &parametersFault{"", "at most " + limit, "parameters are larger than " + limit, ""}
	}
	members := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &members); err != nil {
			return p, &parametersFault{"", "an object", "parameters should be an object", ""}
		}
	}
	if isSchema(members) {
		p, fault = fullForm(members)
	} else {
		p, fault = shortForm(members)
	}
	if fault != nil {
		return p, fault
	}
	text := p.json()
	if argschema.IsPlain(text) {
		return p, nil // compiled only if there are examples to check
	}
	compiled, err := argschema.Compile(text)
	if err != nil {
		where, why := argschema.Explain(err)
		if p.short {
			where = strings.TrimPrefix(where, "/properties")
		}
		return p, &parametersFault{
			where, "what JSON Schema allows", "parameters are not a JSON Schema: " + why,
			keywordFix(where, text),
		}
	}
	p.compiled = compiled
	return p, nil
}

func keywordFix(pointer string, schema []byte) string {
	keyword := pointer[strings.LastIndexByte(pointer, '/')+1:]
	if keyword == "type" {
		index, err := jsonpos.Parse(schema)
		if err != nil {
			return `"string"`
		}
		raw := index.Raw(pointer)
		if raw == "" {
			raw = index.Raw("/properties" + pointer)
		}
		if near := nearest.Name(strings.Trim(raw, `"`), scalarTypes()); near != "" {
			return quote(near)
		}
	}
	return map[string]string{
		"type": `"string"`, "enum": `["a", "b"]`, "examples": `["a", "b"]`, "pattern": `".*"`, "description": `"…"`,
		"title":  `"…"`,
		"format": `"date"`, "required": "[]", "properties": "{}", "additionalProperties": "false",
		"uniqueItems": "false",
		"items":       `{"type": "string"}`, "minLength": "1", "maxLength": "1", "minItems": "1", "maxItems": "1",
		"minimum": "1",
		"maximum": "1", "exclusiveMinimum": "1", "exclusiveMaximum": "1", "multipleOf": "1", "minProperties": "1",
		"maxProperties": "1",
	}[keyword]
}

func scalarTypes() []string {
	return []string{"string", "number", "integer", "boolean", "array", "object", "null"}
}

// isSchema reports whether members are a JSON Schema and not the short form. In the short form, "type" or "properties"
// may also be the name of a parameter; its value is then an object with a type.
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

func fullForm(members map[string]json.RawMessage) (parameters, *parametersFault) {
	p := parameters{members: maps.Clone(members), properties: map[string]json.RawMessage{}}
	if t, ok := members["type"]; ok && string(bytes.TrimSpace(t)) != `"object"` {
		text := fmt.Sprintf("parameters have type %s; the top level is an object", excerpt.TruncateRunes(string(t), 40))
		return p, &parametersFault{"/type", `"object"`, text, `"object"`}
	}
	p.members["type"] = json.RawMessage(`"object"`)
	if b, ok := members["properties"]; !ok {
		p.members["properties"] = json.RawMessage(`{}`)
	} else if err := json.Unmarshal(b, &p.properties); err != nil || p.properties == nil {
		const form = "an object: names with their schemas"
		return p, &parametersFault{"/properties", form, "properties should be " + form, "{}"}
	}
	for _, name := range p.names() {
		if b := bytes.TrimSpace(p.properties[name]); b[0] != '{' && b[0] != 't' && b[0] != 'f' {
			return p, notASchema("/properties", name, b)
		}
	}
	if b, ok := members["required"]; ok {
		if err := json.Unmarshal(b, &p.required); err != nil {
			return p, &parametersFault{
				"/required", "a list of names", "required should be a list of names",
				quoteList(p.names()),
			}
		}
	}
	for i, name := range p.required {
		if p.has(name) {
			continue
		}
		text := fmt.Sprintf("%q is required but not among the properties", excerpt.TruncateRunes(name, 60))
		near := nearest.Name(name, p.names())
		if near != "" && !slices.Contains(p.required, near) {
			at := fmt.Sprintf("/required/%d", i)
			return p, &parametersFault{
				at, "a name of a property", fmt.Sprintf("%s; did you mean %q", text, near),
				quote(near),
			}
		}
		rest := slices.DeleteFunc(slices.Clone(p.required), func(name string) bool { return !p.has(name) })
		return p, &parametersFault{"/required", "names of properties", text, quoteList(rest)}
	}
	return p, nil
}

func notASchema(parent, name string, raw []byte) *parametersFault {
	near := nearest.Name(strings.Trim(string(raw), `"`), scalarTypes())
	if near == "" {
		near = "string"
	}
	text := fmt.Sprintf("parameter %q should be an object such as {\"type\": \"string\"}",
		excerpt.TruncateRunes(name, 60))
	return &parametersFault{
		jsonpos.Pointer(parent, name), `an object such as {"type": "string"}`, text,
		`{"type": ` + quote(near) + `}`,
	}
}

func shortForm(members map[string]json.RawMessage) (parameters, *parametersFault) {
	p := parameters{properties: map[string]json.RawMessage{}, short: true}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(members[name], &one); err != nil || one == nil {
			return p, notASchema("", name, bytes.TrimSpace(members[name]))
		}
		// In the short form, "required" is true or false. In the schema of an object, it is a list and is kept.
		switch r := strings.TrimSpace(string(one["required"])); r {
		case "true":
			p.required = append(p.required, name)
			fallthrough
		case "false":
			delete(one, "required")
		case `"true"`, `"false"`, `"yes"`, `"no"`, "1", "0":
			fix := fmt.Sprint(r == `"true"` || r == `"yes"` || r == "1")
			text := fmt.Sprintf("required of %q should be true or false", excerpt.TruncateRunes(name, 60))
			return p, &parametersFault{jsonpos.Pointer("", name) + "/required", "true or false", text, fix}
		}
		p.properties[name], _ = json.Marshal(one) // one came from JSON
	}
	properties, _ := json.Marshal(p.properties)
	p.members = map[string]json.RawMessage{
		"type": json.RawMessage(`"object"`), "properties": properties, "additionalProperties": json.RawMessage("false"),
	}
	return p, nil
}
