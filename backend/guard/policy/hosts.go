package policy

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// unreadable stands for what is no host at all. It has no dot and so counts as local:
// what cannot be read is not let through.
const unreadable = "?"

// Normal is the one written form of a host or host:port: lower case, ASCII, no trailing
// dot, IPv4 addresses in four decimal parts however they were written, IPv6 in brackets
// only before a port. Empty stays empty; what is no host becomes "?".
func Normal(hostport string) string {
	hostport = strings.TrimSpace(hostport)
	if hostport == "" {
		return ""
	}
	host, port := splitPort(hostport)
	host = normalName(host)
	switch {
	case host == unreadable || strings.Trim(port, "0123456789") != "":
		return unreadable
	case port == "":
		return host
	case strings.Contains(host, ":"):
		return "[" + host + "]:" + port
	}
	return host + ":" + port
}

func normalName(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if i := strings.IndexByte(host, '%'); i >= 0 && strings.Contains(host, ":") {
		host = host[:i] // the zone of an IPv6 address
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		// The mapping a browser applies: full-width digits and dots are digits and dots.
		mapped, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return unreadable
		}
		host = mapped
	}
	host = strings.TrimRight(strings.ToLower(host), ".")
	if addr, ok := parseIP(host); ok {
		return addr.String()
	}
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
		return unreadable
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

// Local reports whether a host (with or without port) is this machine or lies in a
// private, link-local or otherwise not public network, by its name alone.
func Local(hostport string) bool {
	host, _ := splitPort(Normal(hostport))
	host = strings.Trim(host, "[]")
	if addr, ok := parseIP(host); ok {
		return LocalAddr(addr)
	}
	if !strings.Contains(host, ".") {
		return true // a name without a dot is looked up in the local network
	}
	for _, tail := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet"} {
		if strings.HasSuffix(host, tail) {
			return true
		}
	}
	return false
}

// LocalAddr reports whether an IP address is not a public one.
func LocalAddr(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() {
		return true
	}
	return slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(addr) })
}

// reserved lists networks of the IANA special-purpose registries that netip does not
// count as private: "this" network, carrier NAT, benchmarks, class E, and the IPv6 forms
// that carry an IPv4 address inside.
func reserved() []netip.Prefix {
	prefix := func(a, b byte, bits int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b}), bits)
	}
	six := func(head [4]byte, bits int) netip.Prefix {
		var b [16]byte
		copy(b[:], head[:])
		return netip.PrefixFrom(netip.AddrFrom16(b), bits)
	}
	return []netip.Prefix{
		prefix(0, 0, 8), prefix(100, 64, 10), prefix(192, 0, 24), prefix(198, 18, 15), prefix(240, 0, 4),
		six([4]byte{0x00, 0x64, 0xff, 0x9b}, 96), six([4]byte{0x20, 0x02}, 16), six([4]byte{0, 0, 0, 0}, 96),
		six([4]byte{0xfe, 0xc0}, 10),
	}
}

// parseIP reads an address as browsers do: also with fewer parts, octal or hexadecimal.
func parseIP(s string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(s); err == nil {
		return addr.Unmap(), true
	}
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := parsePart(part)
		if !ok {
			return netip.Addr{}, false
		}
		last := i == len(parts)-1
		room := 8
		if last {
			room = 8 * (4 - i)
		}
		if n >= 1<<room {
			return netip.Addr{}, false
		}
		value = value<<room | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func parsePart(s string) (uint64, bool) {
	digits, radix := s, 10
	switch {
	case strings.HasPrefix(s, "0x"):
		digits, radix = s[2:], 16
		if digits == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		digits, radix = s[1:], 8
	}
	if digits == "" || strings.Trim(digits, "0123456789abcdef") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, radix, 32)
	return n, err == nil
}

// Opened reports whether host is opened by list: an entry without a port opens every port
// of exactly that host.
func Opened(hostport string, list []string) bool {
	want := Normal(hostport)
	name, _ := splitPort(want)
	name = strings.Trim(name, "[]")
	return slices.ContainsFunc(list, func(entry string) bool {
		e := Normal(entry)
		return e != "" && (e == want || e == name)
	})
}
