package policy

import (
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"sextant/backend/policy/address"
)

// invalidHost is the normalized form of an invalid host. It has no dot, so it counts as local and is refused.
const invalidHost = "?"

// NormalizeHost returns the canonical form of a host or host:port: lower case, ASCII, no trailing dot, IPv4 as four
// decimal parts, IPv6 in brackets only before a port. "" stays "", and an invalid host becomes "?".
func NormalizeHost(hostport string) string {
	hostport = strings.TrimSpace(hostport)
	if hostport == "" {
		return ""
	}
	host, port := splitPort(hostport)
	host = normalizeName(host)
	switch {
	case host == invalidHost || strings.Trim(port, "0123456789") != "":
		return invalidHost
	case port == "":
		return host
	case strings.Contains(host, ":"):
		return "[" + host + "]:" + port
	}
	return host + ":" + port
}

func normalizeName(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if i := strings.IndexByte(host, '%'); i >= 0 && strings.Contains(host, ":") {
		host = host[:i] // the zone of an IPv6 address
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		// Like browsers, map full-width digits and dots to ASCII.
		mapped, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return invalidHost
		}
		host = mapped
	}
	host = strings.TrimRight(strings.ToLower(host), ".")
	if addr, ok := parseIP(host); ok {
		return addr.String()
	}
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
		return invalidHost
	}
	return host
}

func splitPort(s string) (host, port string) {
	if strings.HasPrefix(s, "[") {
		if end := strings.IndexByte(s, ']'); end > 0 {
			return s[:end+1], strings.TrimPrefix(s[end+1:], ":")
		}
		return s, ""
	}
	if strings.Count(s, ":") != 1 {
		return s, ""
	}
	host, port, _ = strings.Cut(s, ":")
	return host, port
}

// IsLocalHost reports whether a host, with or without a port, is this machine or in a network that is not public. It
// judges the name and resolves nothing. An empty or invalid host counts as local.
func IsLocalHost(hostport string) bool {
	host, _ := splitPort(NormalizeHost(hostport))
	host = strings.Trim(host, "[]")
	if addr, ok := parseIP(host); ok {
		return address.NonPublicReason(addr) != ""
	}
	if !strings.Contains(host, ".") {
		return true // a name without a dot is resolved in the local network
	}
	for _, tail := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet"} {
		if strings.HasSuffix(host, tail) {
			return true
		}
	}
	return false
}

func parseIP(s string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(s); err == nil {
		return addr.Unmap(), true
	}
	if !address.EndsInNumber(s) {
		return netip.Addr{}, false
	}
	return address.ParseIPv4(s)
}

// HostMatches reports whether an entry of list matches a host. An entry without a port matches every port of exactly
// that host.
func HostMatches(hostport string, list []string) bool {
	want := NormalizeHost(hostport)
	name, _ := splitPort(want)
	name = strings.Trim(name, "[]")
	return slices.ContainsFunc(list, func(entry string) bool {
		e := NormalizeHost(entry)
		return e != "" && (e == want || e == name)
	})
}

// HostMatchesExactly reports whether list contains exactly this host and port. A missing port equals the default ports
// of http and https.
func HostMatchesExactly(hostport string, list []string) bool {
	want := withoutDefaultPort(hostport)
	return slices.ContainsFunc(list, func(entry string) bool {
		e := withoutDefaultPort(entry)
		return e != "" && e != invalidHost && e == want
	})
}

func withoutDefaultPort(hostport string) string {
	n := NormalizeHost(hostport)
	host, port := splitPort(n)
	if port == "80" || port == "443" {
		return strings.Trim(host, "[]")
	}
	return n
}
