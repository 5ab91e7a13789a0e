// Package address classifies network addresses: public, this machine, a private network, or reserved for special use.
// It also parses numbers as IPv4 addresses, and the beginnings of URLs, in the way browsers do.
//
// The policy, which sees host names before they are resolved, and the dialer, which sees the resolved addresses, both
// use it. It resolves no names and opens no connections.
package address

import (
	"net/netip"
	"strconv"
	"strings"
)

// NonPublicReason returns the reason why a is not public, "" if it is public. The ranges are those of the IANA
// special-purpose registries for IPv4 and IPv6, and one service address of a cloud provider.
func NonPublicReason(a netip.Addr) string {
	a = a.WithZone("").Unmap()
	switch {
	case a.IsLoopback(), a.IsUnspecified():
		return "it is this machine"
	case a.IsPrivate():
		return "it is a private network"
	case a.IsLinkLocalUnicast():
		return "it is a link-local address, where clouds keep their secrets"
	case a.IsMulticast():
		return "it is a multicast address"
	}
	if inner, ok := embeddedIPv4(a); ok {
		if reason := NonPublicReason(inner); reason != "" {
			return "it contains " + inner.String() + ", and " + strings.Replace(reason, "it is", "that is", 1)
		}
		return ""
	}
	for _, r := range reservedRanges() {
		if r.prefix.Contains(a) {
			return r.reason
		}
	}
	return ""
}

// embeddedIPv4 returns the IPv4 address inside an IPv6 address: NAT64 (RFC 6052), 6to4 (RFC 3056) or the old
// IPv4-compatible form.
func embeddedIPv4(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return netip.Addr{}, false
	}
	b := a.As16()
	switch {
	case prefix(0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0).bits(96).Contains(a), prefix().bits(96).Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case prefix(0x20, 0x02).bits(16).Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

type reservedRange struct {
	prefix netip.Prefix
	reason string
}

func reservedRanges() []reservedRange {
	const special, shared = "it is an address reserved for special use", "it is a provider's shared network"
	return []reservedRange{
		{v4(0, 0, 0, 0, 8), "it is this machine"},
		{v4(100, 64, 0, 0, 10), shared},
		{v4(168, 63, 129, 16, 32), "it is a cloud's own service address"},
		{v4(192, 0, 0, 0, 24), special},
		{v4(192, 0, 2, 0, 24), special},
		{v4(198, 18, 0, 0, 15), special},
		{v4(198, 51, 100, 0, 24), special},
		{v4(203, 0, 113, 0, 24), special},
		{v4(240, 0, 0, 0, 4), special},
		{prefix(0x00, 0x64, 0xff, 0x9b, 0x00, 0x01).bits(48), "it is a private network"},
		{prefix(0x01, 0x00).bits(64), special},
		{prefix(0x20, 0x01, 0x00).bits(23), special}, // Teredo, ORCHID, benchmarking and more
		{prefix(0x20, 0x01, 0x0d, 0xb8).bits(32), special},
		{prefix(0x3f, 0xff).bits(20), special},
		{prefix(0x5f, 0x00).bits(16), special},
		{prefix(0xfe, 0xc0).bits(10), "it is a private network"},
	}
}

type prefixBytes [16]byte

func prefix(lead ...byte) prefixBytes {
	var b prefixBytes
	copy(b[:], lead)
	return b
}

func (b prefixBytes) bits(n int) netip.Prefix { return netip.PrefixFrom(netip.AddrFrom16(b), n) }

func v4(a, b, c, d byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, d}), bits)
}

// EndsInNumber reports whether a browser parses name as an IPv4 address, valid or not.
func EndsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := ipv4Number(last)
	return ok
}

// ParseIPv4 parses name as browsers do (the IPv4 parser of the WHATWG URL standard): one to four parts, each decimal,
// octal or hexadecimal.
func ParseIPv4(name string) (netip.Addr, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := ipv4Number(part)
		last := i == len(parts)-1
		switch {
		case !ok, !last && n > 255, last && n >= 1<<(8*(5-len(parts))):
			return netip.Addr{}, false
		case last:
			value += n
		default:
			value += n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func ipv4Number(s string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	radix := 10
	switch {
	case strings.HasPrefix(s, "0x"):
		s, radix = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		s, radix = s[1:], 8
	}
	if s == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(s, radix, 33)
	return n, err == nil
}
