// Package spelling reads addresses and the names of keys as people write them.
package spelling

import (
	"net"
	"net/netip"
	"strings"
)

// Address completes a typed address: "example.com" gets https, this machine, private addresses and a name without a
// dot but with a port get http. It returns false if typed is not an address.
func Address(typed string) (string, bool) {
	s := strings.TrimRight(strings.Trim(typed, "<>()\"'"), ",;!")
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > 2_000 || strings.ContainsAny(s, " \t\r\n\"<>\\") {
		return "", false
	}
	lower := strings.ToLower(s)
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(lower, scheme) {
			return s, len(s) > len(scheme)
		}
	}
	if lower == "about:blank" {
		return lower, true
	}
	if strings.Contains(s, "://") {
		return s, true // navigate_page reports schemes it does not open
	}
	host, _, _ := strings.Cut(s, "/")
	host, _, _ = strings.Cut(host, "?")
	host, _, _ = strings.Cut(host, "#")
	name, port := host, ""
	if h, p, err := net.SplitHostPort(host); err == nil {
		name, port = h, p
	}
	if port != "" && !digits(port) || strings.Contains(name, "@") {
		return "", false
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	switch {
	case err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()),
		strings.EqualFold(name, "localhost"):
		return "http://" + s, true
	case err == nil:
		return "https://" + s, true
	case port != "" && validHost(name) && !strings.Contains(name, "."):
		return "http://" + s, true
	case strings.Contains(name, ".") && validHost(name):
		return "https://" + s, true
	}
	return "", false
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// validHost reports whether s could be a host name: labels of letters, digits, hyphens, underscores and other
// characters outside ASCII, where the last label is not a number.
func validHost(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.HasPrefix(l, "-") || strings.HasSuffix(l, "-") {
			return false
		}
		for _, r := range l {
			if r < 0x80 &&
				!(r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
				return false
			}
		}
	}
	return !digits(labels[len(labels)-1])
}
