package shape

import (
	"fmt"
	"regexp"
	"strings"

	"sextant/shared/clip"
)

// The rules for the names in a manifest.
var (
	ruleID       = regexp.MustCompile(`^[a-z][a-z0-9-]{1,48}$`)
	ruleTool     = regexp.MustCompile(`^[a-z][a-z0-9_]{1,60}$`)
	ruleKey      = regexp.MustCompile(`^[A-Za-z_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)
	ruleWords    = regexp.MustCompile(`\S`)
	ruleEndpoint = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) +/api/[a-z][a-z0-9-]{1,48}(/([A-Za-z0-9._~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+ *$`)
	rulePath     = regexp.MustCompile(`^(/([A-Za-z0-9._~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+$`)
	ruleParam    = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// IsID reports whether text has the form of a panel's id.
func IsID(text string) bool { return ruleID.MatchString(text) }

// IsTool reports whether text has the form of a tool's name.
func IsTool(text string) bool { return ruleTool.MatchString(text) }

// IsKey reports whether text has the form of a setting's or a context key's name.
func IsKey(text string) bool { return ruleKey.MatchString(text) }

// CheckPath says why path may not be an endpoint of panel, "" when it may.
func CheckPath(path, panel string) string {
	prefix := "/api/" + panel + "/"
	switch {
	case strings.Contains(path, "://") || strings.HasPrefix(path, "//"):
		return fmt.Sprintf("endpoint %q names a host; it is a path below %s", clip.Runes(path, 100), prefix)
	case strings.Contains(path, "%"):
		return fmt.Sprintf("endpoint %q holds an encoded character, which an endpoint may not", clip.Runes(path, 100))
	case !strings.HasPrefix(path, prefix) || len(path) == len(prefix):
		return fmt.Sprintf("found %s, expected %s…, because a panel reaches only its own routes", clip.Runes(path, 100), prefix)
	}
	for _, segment := range strings.Split(path, "/") {
		if segment == "." || segment == ".." {
			return fmt.Sprintf("endpoint %q holds %q, which an endpoint may not", clip.Runes(path, 100), segment)
		}
	}
	if !rulePath.MatchString(path) {
		return fmt.Sprintf("endpoint %q may hold letters, digits, - . _ ~ and {name} for a whole part, and nothing else", clip.Runes(path, 100))
	}
	return ""
}

// InBraces are the names that stand in braces in text, in their order.
func InBraces(text string) []string {
	var names []string
	for _, match := range ruleParam.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}
