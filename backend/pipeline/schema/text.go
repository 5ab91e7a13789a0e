package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"sextant/shared/excerpt"
)

const maxShown = 60

func path(location []string) string {
	at := ""
	for _, step := range location {
		at = join(at, step)
	}
	return at
}

func join(at, step string) string {
	if _, err := strconv.Atoi(step); err == nil && at != "" {
		return at + "[" + step + "]"
	}
	if at == "" {
		return step
	}
	return at + "." + step
}

func find(v any, location []string) any {
	for _, step := range location {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) {
				return nil
			}
			v = inner[i]
		default:
			return nil
		}
	}
	return v
}

func quote(name string) string { return `"` + name + `"` }

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean (" + show(v) + ")"
	case json.Number:
		return "a number (" + show(v) + ")"
	case string:
		return "a string (" + show(v) + ")"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "something else"
}

func typeNames(types []string) string {
	named := make([]string, len(types))
	for i, t := range types {
		switch t {
		case "null":
			named[i] = t
		case "integer":
			named[i] = "a whole number"
		case "array", "object":
			named[i] = "an " + t
		default:
			named[i] = "a " + t
		}
	}
	return strings.Join(named, " or ")
}

func show(v any) string {
	b, err := encode(v)
	if err != nil {
		return "?"
	}
	return excerpt.TruncateRunes(string(b), maxShown)
}

func values(list []any) string {
	shown := make([]string, 0, len(list))
	for _, v := range list {
		shown = append(shown, show(v))
	}
	if len(shown) > 20 {
		shown = append(shown[:20], "…")
	}
	return strings.Join(shown, ", ")
}

func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i]
	}
	return excerpt.TruncateRunes(strings.TrimRight(s, "."), 100)
}
