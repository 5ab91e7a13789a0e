package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sextant/backend/tools/panels/argschema"
)

// maxSchema bounds the parameters of one tool in bytes.
const maxSchema = 64 << 10

// schema is a tool's parameters as JSON Schema, its required list kept apart so that
// path parameters and injected ones can be added and taken away.
type schema struct {
	members    map[string]json.RawMessage
	properties map[string]json.RawMessage
	required   []string
}

func (s schema) has(name string) bool {
	_, ok := s.properties[name]
	return ok
}

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

// parameters reads a tool's parameters in either form; problem says what is wrong.
func parameters(raw json.RawMessage) (s schema, problem string) {
	if len(raw) > maxSchema {
		return s, fmt.Sprintf("parameters are larger than %d KB", maxSchema>>10)
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		raw = []byte("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return s, "parameters should be an object: a JSON Schema, or names with their schemas"
	}
	if isSchema(members) {
		s, problem = fullForm(members)
	} else {
		s, problem = shortForm(members)
	}
	if problem != "" {
		return s, problem
	}
	if err := argschema.Check(s.json()); err != nil {
		return s, "parameters are not a JSON Schema: " + err.Error()
	}
	return s, ""
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

func fullForm(members map[string]json.RawMessage) (schema, string) {
	s := schema{members: maps.Clone(members), properties: map[string]json.RawMessage{}}
	if t, ok := members["type"]; ok && string(bytes.TrimSpace(t)) != `"object"` {
		return s, fmt.Sprintf("parameters have type %s; the top level is an object", Cut(string(t), 40))
	}
	s.members["type"] = json.RawMessage(`"object"`)
	if p, ok := members["properties"]; ok {
		if err := json.Unmarshal(p, &s.properties); err != nil {
			return s, "properties should be an object"
		}
	} else {
		s.members["properties"] = json.RawMessage(`{}`)
	}
	if r, ok := members["required"]; ok {
		if err := json.Unmarshal(r, &s.required); err != nil {
			return s, "required should be a list of names"
		}
	}
	for _, r := range s.required {
		if !s.has(r) {
			return s, fmt.Sprintf("%q is required but not among the properties", Cut(r, 60))
		}
	}
	return s, ""
}

func shortForm(members map[string]json.RawMessage) (schema, string) {
	s := schema{properties: map[string]json.RawMessage{}}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(members[name], &one); err != nil {
			return s, fmt.Sprintf("parameter %q should be an object such as {\"type\": \"string\"}", Cut(name, 60))
		}
		// In the short form required is true or false; inside an object's own schema it is
		// a list and stays.
		if r := strings.TrimSpace(string(one["required"])); r == "true" || r == "false" {
			if r == "true" {
				s.required = append(s.required, name)
			}
			delete(one, "required")
		}
		b, err := json.Marshal(one)
		if err != nil {
			return s, fmt.Sprintf("parameter %q: %s", Cut(name, 60), err)
		}
		s.properties[name] = b
	}
	properties, err := json.Marshal(s.properties)
	if err != nil {
		return s, err.Error()
	}
	s.members = map[string]json.RawMessage{
		"type": json.RawMessage(`"object"`), "properties": properties, "additionalProperties": json.RawMessage("false"),
	}
	return s, ""
}
