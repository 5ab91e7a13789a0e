package argschema

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const maxPlain = 16

// IsPlain reports whether text is certainly a valid schema because it uses common keywords. Compile must check other
// text.
func IsPlain(text []byte) bool {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return err == nil && plain(doc, 0)
}

// plain checks a decoded schema. Compiling costs a hundred times as much.
func plain(value any, depth int) bool {
	s, ok := value.(map[string]any)
	if !ok || depth > maxPlain {
		return false
	}
	for key, v := range s {
		if !plainMember(key, v, depth) {
			return false
		}
	}
	return true
}

func plainMember(key string, v any, depth int) bool {
	switch key {
	case "description", "title":
		_, ok := v.(string)
		return ok
	case "default", "const":
		return true
	case "type":
		name, ok := v.(string)
		return ok && slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"},
			name)
	case "enum":
		list, ok := v.([]any)
		return ok && len(list) > 0
	case "required":
		return distinct(v)
	case "minimum", "maximum":
		_, ok := v.(json.Number)
		return ok
	case "minLength", "maxLength", "minItems", "maxItems":
		n, ok := v.(json.Number)
		return ok && counts(string(n))
	case "properties":
		members, ok := v.(map[string]any)
		for _, one := range members {
			ok = ok && plain(one, depth+1)
		}
		return ok
	case "items", "additionalProperties":
		_, always := v.(bool)
		return always || plain(v, depth+1)
	}
	return false
}

func counts(n string) bool {
	return len(n) > 0 && len(n) < 9 && !slices.ContainsFunc([]byte(n), func(c byte) bool { return c < '0' || c > '9' })
}

func distinct(v any) bool {
	list, ok := v.([]any)
	seen := map[string]bool{}
	for _, one := range list {
		name, is := one.(string)
		if !is || seen[name] {
			return false
		}
		seen[name] = true
	}
	return ok
}
