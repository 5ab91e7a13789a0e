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
		return nil, &Refused{
			Host: t.String(), Reason: "this invented host speaks http only",
			Suggestion: fmt.Sprintf("Use http://%s/.", t.host),
		}
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
	if g.denied(t, a) {
		return &Refused{
			Host: t.String(), Reason: "it is one of the denied hosts",
			Suggestion: "Who started Sextant denied it with --deny-hosts or the setting deny_hosts; take it off there.",
		}
	}
	if g.own(t, a) {
		return &Refused{
			Host: t.String(), Reason: "it is Sextant's own port",
			Suggestion: "It is never opened to pages or tools. Use another address.",
		}
	}
	reason := address.WhyClosed(a)
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

// own reports whether t, which leads to a, is one of our listeners. The unspecified address
// reaches loopback too.
func (g *Guard) own(t target, a netip.Addr) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.neverNames[t] {
		return true
	}
	a = a.WithZone("").Unmap()
	local := a.IsLoopback() || a.IsUnspecified()
	for _, n := range g.never {
		if n.Port() == t.port && (n.Addr() == a || local && (n.Addr().IsLoopback() || n.Addr().IsUnspecified())) {
			return true
		}
	}
	return false
}

// denied reports whether t, or the address it leads to, is on the list of denied hosts. An
// entry covers the names below it; "*" covers all that was not allowed by name.
func (g *Guard) denied(t target, a netip.Addr) bool {
	for _, d := range g.deny {
		if d.port != 0 && d.port != t.port {
			continue
		}
		if d.host == t.host || d.host == a.String() || strings.HasSuffix(t.host, "."+d.host) {
			return true
		}
	}
	return g.denyRest && !g.allowed[t] && !g.allowed[target{host: t.host}]
}
