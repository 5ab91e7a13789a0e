// Package errortext finds the message in an error response of a service.
package errortext

import (
	"maps"
	"slices"
	"strings"

	"sextant/shared/excerpt"
)

// Find returns the error message in value (decoded JSON), cut after most characters, or "" if it finds none. It knows
// the usual forms: error, message, msg, detail, reason or title; OAuth's error_description; and errors as a list or by
// field.
func Find(value any, most int) string { return excerpt.TruncateRunes(errorTextAt(value, 0), most) }

const maxListedErrors = 10

func errorTextAt(value any, depth int) string {
	if depth > 4 {
		return ""
	}
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		return joinErrors(v, depth)
	case map[string]any:
		words := ""
		for _, key := range messageKeys(v) {
			if words = errorTextAt(v[key], depth+1); words != "" {
				break
			}
		}
		each := fieldErrors(v["errors"], depth)
		if words != "" && each != "" {
			return words + ": " + each
		}
		return words + each
	}
	return ""
}

// messageKeys returns the keys that may contain the message, the most useful first.
func messageKeys(v map[string]any) []string {
	keys := []string{"error", "message", "detail", "msg", "error_description", "reason", "title"}
	if code, ok := v["error"].(string); ok && !strings.Contains(code, " ") {
		// A code is used only if there is no message.
		keys = append(keys[1:len(keys):len(keys)], "error")
	}
	return keys
}

func joinErrors(list []any, depth int) string {
	var parts []string
	for _, one := range list[:min(len(list), maxListedErrors)] {
		if s := errorTextAt(one, depth+1); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "; ")
}

func fieldErrors(value any, depth int) string {
	switch v := value.(type) {
	case []any:
		return joinErrors(v, depth)
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if s := errorTextAt(v[name], depth+1); s != "" && len(parts) < maxListedErrors {
				parts = append(parts, name+": "+s)
			}
		}
		return strings.Join(parts, "; ")
	}
	return ""
}
