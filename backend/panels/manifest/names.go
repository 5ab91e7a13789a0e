package manifest

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sextant/shared/excerpt"
)

var (
	idForm          = regexp.MustCompile(`^[a-z][a-z0-9-]{1,48}$`)
	toolNameForm    = regexp.MustCompile(`^[a-z][a-z0-9_]{1,60}$`)
	keyForm         = regexp.MustCompile(`^[A-Za-z_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)
	pathForm        = regexp.MustCompile(`^(/([A-Za-z0-9._~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+$`)
	placeholderForm = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// Ids of routes under /api/<id> are reserved.
func reservedID(id string) bool {
	return slices.Contains([]string{"ai", "panels", "automations", "mcp", "openapi"}, id)
}

// CheckID returns an error if id is not a valid panel id or is reserved for Sextant's own routes.
func CheckID(id string) error {
	if !idForm.MatchString(id) {
		return fmt.Errorf("%q cannot be a panel's id: a small letter, then 1 to 48 small letters, digits and hyphens",
			excerpt.TruncateRunes(id, 60))
	}
	if reservedID(id) {
		return fmt.Errorf("%q is reserved for routes of Sextant", id)
	}
	return nil
}

// IsLoopback reports whether host is "localhost" or a loopback address. Other names are not resolved.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkPath says why path cannot be the path of an endpoint of the panel id, "" if it can.
func checkPath(path, id string) string {
	prefix := "/api/" + id + "/"
	switch {
	case strings.Contains(path, "://") || strings.HasPrefix(path, "//"):
		return fmt.Sprintf("endpoint %q names a host; it is a path below %s", excerpt.TruncateRunes(path, 100), prefix)
	case strings.Contains(path, "%"):
		return fmt.Sprintf("endpoint %q holds an encoded character, which is not allowed",
			excerpt.TruncateRunes(path, 100))
	case !strings.HasPrefix(path, prefix) || len(path) == len(prefix):
		return fmt.Sprintf("found %s, expected %s…, because a panel reaches only its own routes",
			excerpt.TruncateRunes(path, 100), prefix)
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return fmt.Sprintf("endpoint %q holds %q, which is not allowed", excerpt.TruncateRunes(path, 100), segment)
		}
	}
	if !pathForm.MatchString(path) {
		return fmt.Sprintf("endpoint %q may hold letters, digits, - . _ ~ and {name} for a whole segment, and "+
			"nothing else",
			excerpt.TruncateRunes(path, 100))
	}
	return ""
}

func placeholders(text string) []string {
	var names []string
	for _, match := range placeholderForm.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

// slug returns text in the letters a to z and digits, with separator between the words, cut to limit bytes. It begins
// with a letter or is "".
func slug(text string, separator rune, limit int) string {
	var b strings.Builder
	previous := separator
	for _, c := range excerpt.TruncateRunes(text, 2*limit) {
		small := unicode.ToLower(c)
		switch {
		case small >= 'a' && small <= 'z' || small >= '0' && small <= '9':
			if unicode.IsUpper(c) && previous != separator && !unicode.IsUpper(previous) {
				b.WriteRune(separator)
			}
			b.WriteRune(small)
			previous = c
		case previous != separator:
			b.WriteRune(separator)
			previous = separator
		}
	}
	name := strings.TrimLeft(b.String(), "0123456789"+string(separator))
	return strings.TrimRight(name[:min(len(name), limit)], string(separator))
}

func titled(name string) string {
	runes := []rune(strings.NewReplacer("-", " ", "_", " ").Replace(name))
	if len(runes) > 0 {
		runes[0] = unicode.ToUpper(runes[0])
	}
	return string(runes)
}
