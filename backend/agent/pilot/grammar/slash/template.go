package slash

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf16"
)

// Template returns the required arguments of a schema with empty values, and how far before its end the
// cursor goes, in UTF-16 units like the window's.
func Template(parameters json.RawMessage) (args string, back int) {
	var s struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(parameters, &s) != nil || len(s.Required) == 0 {
		return "{}", min(1, len(s.Properties))
	}
	slices.SortStableFunc(s.Required, func(a,
		b string,
	) int {
		return propertyIndex(parameters, a) - propertyIndex(parameters, b)
	})
	var out strings.Builder
	cursor := 0
	for i, name := range s.Required {
		key, err := json.Marshal(name)
		if err != nil {
			continue
		}
		open, shut := "", ""
		switch t, _ := s.Properties[name].Type.(string); t {
		case "string":
			open, shut = `"`, `"`
		case "array":
			open, shut = "[", "]"
		case "object":
			open, shut = "{", "}"
		case "boolean":
			open = "true"
		}
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(string(key) + ": " + open)
		if i == 0 {
			cursor = out.Len()
		}
		out.WriteString(shut)
	}
	inside := out.String()
	return "{" + inside + "}", len(utf16.Encode([]rune(inside[cursor:]))) + 1
}

func propertyIndex(parameters json.RawMessage, name string) int {
	return strings.Index(string(parameters), `"`+name+`"`)
}
