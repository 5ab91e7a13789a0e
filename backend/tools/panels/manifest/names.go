package manifest

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The rules for the names in a manifest; the schema has them too.
var (
	ruleID       = regexp.MustCompile(`^[a-z][a-z0-9-]{1,48}$`)
	ruleTool     = regexp.MustCompile(`^[a-z][a-z0-9_]{1,60}$`)
	ruleKey      = regexp.MustCompile(`^[A-Za-z_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)
	ruleWords    = regexp.MustCompile(`\S`)
	ruleEndpoint = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) +/api/[a-z][a-z0-9-]{1,48}(/([A-Za-z0-9._~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+ *$`)
	rulePath     = regexp.MustCompile(`^(/([A-Za-z0-9._~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+$`)
	ruleParam    = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// reservedID reports whether id is one of the host's own routes under /api/.
func reservedID(id string) bool {
	return slices.Contains([]string{"ai", "panels", "automations", "mcp", "openapi"}, id)
}

// CheckID says why id cannot be a panel's id, nil when it can.
func CheckID(id string) error {
	if !ruleID.MatchString(id) {
		return fmt.Errorf("%q cannot be a panel's id: a small letter, then up to 48 small letters, digits and hyphens", Cut(id, 60))
	}
	if reservedID(id) {
		return fmt.Errorf("%q is reserved for routes of Sextant", id)
	}
	return nil
}

// Cut shortens text from outside to n characters for a message.
func Cut(text string, n int) string {
	runes := []rune(strings.ToValidUTF8(text, "�"))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "…"
}

// Loopback reports whether host, a name or an address, is always this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// id is the id the panel has, or would have once it is right: the folder's name if that can
// be one.
func (j *judge) id() string {
	if id := j.manifest.PanelID; CheckID(id) == nil {
		return id
	}
	if CheckID(j.folder) == nil {
		return j.folder
	}
	for _, from := range []string{j.folder, j.manifest.PanelID, "my-panel"} {
		if id := joined(from, '-', 49); CheckID(id) == nil {
			return id
		}
	}
	return "my-panel"
}

// joined is text in small letters and digits with mark between its words, at most high long.
func joined(text string, mark rune, high int) string {
	var b strings.Builder
	previous := mark
	for _, c := range text {
		small := unicode.ToLower(c)
		switch {
		case small >= 'a' && small <= 'z' || small >= '0' && small <= '9':
			if unicode.IsUpper(c) && previous != mark && !unicode.IsUpper(previous) {
				b.WriteRune(mark)
			}
			b.WriteRune(small)
			previous = c
		case previous != mark:
			b.WriteRune(mark)
			previous = mark
		}
		if b.Len() > 2*high {
			break
		}
	}
	name := strings.TrimLeft(b.String(), "0123456789"+string(mark))
	return strings.TrimRight(name[:min(len(name), high)], string(mark))
}

// words is a name as a title: "field-notes" is "Field notes".
func words(name string) string {
	text := strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c == '-' || c == '_' || c == ' ' }), " ")
	runes := []rune(text)
	if len(runes) == 0 {
		return "Panel"
	}
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes[:min(len(runes), maxTitle)])
}
