package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"sextant/backend/policy/address"
)

// BlockedError says why a host is blocked and how to allow it. Check returns it, and errors of blocked dials wrap it.
type BlockedError struct {
	Host       string // as requested: "127.0.0.1:8080" or "file:"
	Reason     string // such as "it is this machine"
	Suggestion string // a sentence
}

// Error returns a message such as "127.0.0.1:8080 is blocked: it is this machine. Type the address …".
func (b *BlockedError) Error() string {
	return fmt.Sprintf("%s is blocked: %s. %s", b.Host, b.Reason, b.Suggestion)
}

func isBlocked(err error) bool {
	var r *BlockedError
	return errors.As(err, &r)
}

// allowedAddrs resolves t and returns the addresses that may be dialed. The error is a *BlockedError if all are
// blocked, otherwise the resolver's error.
func (g *Guard) allowedAddrs(ctx context.Context, t target) ([]netip.Addr, error) {
	if addr, known := g.mappedAddr(t); known {
		if ap, err := netip.ParseAddrPort(addr); err == nil {
			return []netip.Addr{ap.Addr()}, nil
		}
		return nil, &BlockedError{
			Host: t.String(), Reason: "this host is local to Sextant and has http only",
			Suggestion: fmt.Sprintf("Use http://%s/.", t.host),
		}
	}
	if g.isDenied(t, netip.Addr{}) { // by its name, so nobody is asked for its address
		return nil, deniedHost(t)
	}
	addrs, err := g.resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	isAllowed := g.allows(t)
	var allowed []netip.Addr
	var blocked *BlockedError
	for _, a := range addrs {
		if err := g.checkAddr(t, a.Unmap(), isAllowed); err == nil {
			allowed = append(allowed, a.Unmap())
		} else if blocked == nil {
			blocked = err
		}
	}
	switch {
	case len(allowed) > 0:
		return allowed, nil
	case blocked != nil:
		return nil, blocked
	}
	return nil, &net.DNSError{Err: "no addresses", Name: t.host, IsNotFound: true}
}

// Names under localhost resolve to this machine without a lookup (RFC 6761).
func (g *Guard) resolve(ctx context.Context, t target) ([]netip.Addr, error) {
	if a, ok := t.ip(); ok {
		return []netip.Addr{a}, nil
	}
	if t.host == "localhost" || strings.HasSuffix(t.host, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	addrs, err := g.resolver.LookupNetIP(ctx, "ip", t.host)
	if err != nil {
		return nil, fmt.Errorf("looking up %s: %w", t.host, err)
	}
	return addrs, nil
}

// checkAddr returns why address a of t is blocked, nil if it is not. isAllowed is true if t was allowed by name.
func (g *Guard) checkAddr(t target, a netip.Addr, isAllowed bool) *BlockedError {
	if g.isDenied(t, a) {
		return deniedHost(t)
	}
	if g.isBlockedListener(t, a) {
		return &BlockedError{
			Host: t.String(), Reason: "it is Sextant's own port",
			Suggestion: "Pages and tools can never reach it. Use another address.",
		}
	}
	reason := address.NonPublicReason(a)
	if reason == "" || isAllowed {
		return nil
	}
	if _, isIP := t.ip(); !isIP {
		reason = fmt.Sprintf("it resolves to %s, and %s", a, strings.Replace(reason, "it is", "that is", 1))
	}
	return &BlockedError{
		Host: t.String(), Reason: reason,
		Suggestion: "Type the address yourself, or start Sextant with --allow-hosts " + t.host + ".",
	}
}

func deniedHost(t target) *BlockedError {
	return &BlockedError{
		Host: t.String(), Reason: "it is a denied host",
		Suggestion: "It was denied with --deny-hosts or the setting deny_hosts; remove it there.",
	}
}

// isBlockedListener reports whether t with address a is one of Sextant's listeners. The unspecified address also
// reaches loopback.
func (g *Guard) isBlockedListener(t target, a netip.Addr) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.blockedNames[t] {
		return true
	}
	a = a.WithZone("").Unmap()
	local := a.IsLoopback() || a.IsUnspecified()
	for _, n := range g.blocked {
		if n.Port() == t.port && (n.Addr() == a || local && (n.Addr().IsLoopback() || n.Addr().IsUnspecified())) {
			return true
		}
	}
	return false
}

func (g *Guard) isDenied(t target, a netip.Addr) bool {
	for _, d := range g.deniedHosts {
		if d.port != 0 && d.port != t.port {
			continue
		}
		if d.host == t.host || d.host == a.String() || strings.HasSuffix(t.host, "."+d.host) {
			return true
		}
	}
	return g.denyUnlisted && !g.configAllowed[t] && !g.configAllowed[target{host: t.host}]
}
