package toolcalls

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// schema is the part of a JSON Schema that a signature needs. Its properties keep their order, so that the
// same definition always prints the same bytes.
type schema struct {
	Type        any                `json:"type"`
	Description string             `json:"description"`
	Enum        []any              `json:"enum"`
	Const       *any               `json:"const"`
	Default     json.RawMessage    `json:"default"`
	Properties  orderedFields      `json:"properties"`
	Required    []string           `json:"required"`
	Items       json.RawMessage    `json:"items"`
	PrefixItems []*schema          `json:"prefixItems"`
	Extra       json.RawMessage    `json:"additionalProperties"`
	AnyOf       []*schema          `json:"anyOf"`
	OneOf       []*schema          `json:"oneOf"`
	AllOf       []*schema          `json:"allOf"`
	Ref         string             `json:"$ref"`
	Defs        map[string]*schema `json:"$defs"`
	Definitions map[string]*schema `json:"definitions"`
	Nullable    bool               `json:"nullable"`
	Minimum     json.Number        `json:"minimum"`
	Maximum     json.Number        `json:"maximum"`
	Format      string             `json:"format"`

	root *schema
}

type field struct {
	name     string
	schema   *schema
	required bool
}

type orderedFields []field

// UnmarshalJSON implements json.Unmarshaler.
func (o *orderedFields) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return err // not an object, so it has no properties
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		name, _ := key.(string)
		*o = append(*o, field{name: name, schema: parseNode(value)})
	}
	return nil
}

// parseNode parses a schema. An unreadable schema allows any value.
func parseNode(raw json.RawMessage) *schema {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	n := &schema{}
	if dec.Decode(n) != nil {
		return &schema{}
	}
	return n
}

func signature(parameters json.RawMessage) []field {
	root := parseNode(parameters)
	root.setRoot(root, 0)
	return root.resolve(0).fields()
}

// setRoot sets the root, in which references are resolved, on every schema below n.
func (n *schema) setRoot(root *schema, depth int) {
	if n == nil || depth > maxDepth || n.root != nil {
		return
	}
	n.root = root
	for _, f := range n.Properties {
		f.schema.setRoot(root, depth+1)
	}
	for _, list := range [][]*schema{n.PrefixItems, n.AnyOf, n.OneOf, n.AllOf} {
		for _, s := range list {
			s.setRoot(root, depth+1)
		}
	}
	for _, defs := range []map[string]*schema{n.Defs, n.Definitions} {
		for _, s := range defs {
			s.setRoot(root, depth+1)
		}
	}
}

func (n *schema) child(raw json.RawMessage) *schema {
	s := parseNode(raw)
	s.setRoot(n.root, 0)
	return s
}

// resolve follows a reference inside the document. A dangling reference allows any value.
func (n *schema) resolve(depth int) *schema {
	if n == nil {
		return &schema{}
	}
	if n.Ref == "" || depth > 8 {
		return n
	}
	parts := strings.Split(n.Ref, "/")
	if len(parts) != 3 || parts[0] != "#" || n.root == nil {
		return &schema{root: n.root}
	}
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[2])
	defs := map[string]map[string]*schema{"$defs": n.root.Defs, "definitions": n.root.Definitions}[parts[1]]
	return defs[name].resolve(depth + 1)
}

func (n *schema) fields() []field {
	out := slices.Clone([]field(n.Properties))
	for i := range out {
		out[i].required = slices.Contains(n.Required, out[i].name)
	}
	slices.SortStableFunc(out, func(a, b field) int {
		switch {
		case a.required == b.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	return out
}

func (n *schema) types() []string {
	switch v := n.Type.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// allows reports whether a value of kind ("string", "object", …) is allowed.
func (n *schema) allows(kind string) bool { return n.allowsAt(kind, 0) }

func (n *schema) allowsAt(kind string, depth int) bool {
	n = n.resolve(0)
	if depth > 8 {
		return true
	}
	if n.Nullable && kind == "null" {
		return true
	}
	if names := n.types(); len(names) > 0 {
		return slices.Contains(names, kind) || kind == "number" && slices.Contains(names, "integer")
	}
	if n.Const != nil {
		return kindOf(*n.Const) == kind
	}
	if len(n.Enum) > 0 {
		return slices.ContainsFunc(n.Enum, func(v any) bool { return kindOf(v) == kind })
	}
	for _, list := range [][]*schema{n.AnyOf, n.OneOf} {
		if len(list) > 0 {
			return slices.ContainsFunc(list, func(s *schema) bool { return s.allowsAt(kind, depth+1) })
		}
	}
	if len(n.AllOf) > 0 {
		return !slices.ContainsFunc(n.AllOf, func(s *schema) bool { return !s.allowsAt(kind, depth+1) })
	}
	if len(n.Properties) > 0 {
		return kind == "object"
	}
	return true
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number, float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// textOnly reports whether only strings are allowed, which are then read verbatim.
func (n *schema) textOnly() bool {
	if !n.allows("string") {
		return false
	}
	for _, kind := range []string{"number", "boolean", "null", "object", "array"} {
		if n.allows(kind) {
			return false
		}
	}
	return true
}

// sample returns a small value as JSON that fits the schema in simple cases.
func (n *schema) sample(depth int) string {
	n = n.resolve(0)
	if len(n.Default) > 0 {
		return flat(n.Default)
	}
	for _, v := range append(slices.Clone(n.Enum), constant(n)...) {
		return encoded(v)
	}
	for _, list := range [][]*schema{n.AnyOf, n.OneOf, n.AllOf} {
		if len(list) > 0 && depth < 8 {
			return list[0].sample(depth + 1)
		}
	}
	switch {
	case n.allows("string"):
		return `"…"`
	case n.allows("number"):
		if n.Minimum != "" {
			return n.Minimum.String()
		}
		return "1"
	case n.allows("boolean"):
		return "true"
	case n.allows("array"):
		return "[]"
	case n.allows("object") && depth < 8:
		var parts []string
		for _, f := range n.fields() {
			if f.required {
				parts = append(parts, encoded(f.name)+":"+f.schema.sample(depth+1))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "null"
}

func constant(n *schema) []any {
	if n.Const == nil {
		return nil
	}
	return []any{*n.Const}
}

func encoded(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func flat(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return "null"
	}
	return b.String()
}
