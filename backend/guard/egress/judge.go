package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Refused tells why a host is closed and what opens it. It is the error of Check and stands
// in the chain of a refused dial.
type Refused struct {
	Host       string // as it was asked for, "127.0.0.1:8080" or "file:"
	Reason     string // "it is this machine"
	Suggestion string // a sentence
}

// Error is "127.0.0.1:8080 is closed: it is this machine. Type the address …".
func (r *Refused) Error() string {
	return fmt.Sprintf("%s is closed: %s. %s", r.Host, r.Reason, r.Suggestion)
}

func isRefused(err error) bool {
	var r *Refused
	return errors.As(err, &r)
}

// judge resolves t and returns the addresses that may be dialled. The error is a *Refused
// when there are none but t has addresses, else the resolver's.
func (g *Guard) judge(ctx context.Context, t target) ([]netip.Addr, error) {
	if addr, known := g.mappedTo(t); known {
		if ap, err := netip.ParseAddrPort(addr); err == nil {
			return []netip.Addr{ap.Addr()}, nil
		}
		return nil, &Refused{Host: t.String(), Reason: "this invented host speaks http only", Suggestion: fmt.Sprintf("Use http://%s/.", t.host)}
	}
	addrs, err := g.resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	open := g.isOpen(t)
	var allowed []netip.Addr
	var refused *Refused
	for _, a := range addrs {
		if why := g.closed(t, a.Unmap(), open); why == nil {
			allowed = append(allowed, a.Unmap())
		} else if refused == nil {
			refused = why
		}
	}
	switch {
	case len(allowed) > 0:
		return allowed, nil
	case refused != nil:
		return nil, refused
	}
	return nil, &net.DNSError{Err: "no addresses", Name: t.host, IsNotFound: true}
}

// resolve finds t's addresses. Names under localhost are this machine without asking
// anyone (RFC 6761).
func (g *Guard) resolve(ctx context.Context, t target) ([]netip.Addr, error) {
	if a, ok := t.ip(); ok {
		return []netip.Addr{a}, nil
	}
	if t.host == "localhost" || strings.HasSuffix(t.host, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	addrs, err := g.resolver.LookupNetIP(ctx, "ip", t.host)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", t.host, err)
	}
	return addrs, nil
}

func (g *Guard) closed(t target, a netip.Addr, open bool) *Refused {
	if g.own(a, t.port) {
		return &Refused{
			Host: t.String(), Reason: "it is Sextant's own port",
			Suggestion: "It is never opened to pages or tools. Use another address.",
		}
	}
	reason := private(a)
	if reason == "" || open {
		return nil
	}
	if _, isIP := t.ip(); !isIP {
		reason = fmt.Sprintf("it leads to %s, and %s", a, strings.Replace(reason, "it is", "that is", 1))
	}
	return &Refused{
		Host: t.String(), Reason: reason,
		Suggestion: "Type the address yourself or start with --allow-hosts " + t.host + ".",
	}
}

// own reports whether a:port is one of our listeners. The unspecified address reaches
// loopback too.
func (g *Guard) own(a netip.Addr, port uint16) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	local := a.IsLoopback() || a.IsUnspecified()
	for _, n := range g.never {
		if n.Port() == port && (n.Addr() == a || local && (n.Addr().IsLoopback() || n.Addr().IsUnspecified())) {
			return true
		}
	}
	return false
}

// private says why a is not public, "" when it is. The ranges are those of the IANA
// special-purpose registries for IPv4 and IPv6, and one address a cloud took for itself.
func private(a netip.Addr) string {
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
	if inner, ok := embedded(a); ok {
		if reason := private(inner); reason != "" {
			return "it holds " + inner.String() + ", and " + strings.Replace(reason, "it is", "that is", 1)
		}
		return ""
	}
	for _, r := range reserved() {
		if r.prefix.Contains(a) {
			return r.reason
		}
	}
	return ""
}

// embedded is the IPv4 address that an IPv6 address of a transition scheme leads to: NAT64
// (RFC 6052), 6to4 (RFC 3056) and the old IPv4-compatible form.
func embedded(a netip.Addr) (netip.Addr, bool) {
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

func reserved() []reservedRange {
	const special, shared = "it is an address kept for special use", "it is a provider's shared network"
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

// prefixBytes are the leading bytes of an IPv6 prefix; the rest is zero.
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
