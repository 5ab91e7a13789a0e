package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// DialContext dials addr ("host:port") over TCP if the guard allows it. It resolves the name, checks each address, and
// dials exactly the addresses that it checked. The error wraps *BlockedError if the guard refuses. For a host of
// MapHost, it dials the mapped listener.
func (g *Guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, &BlockedError{
			Host:       addr,
			Reason:     "only TCP is allowed, not " + network,
			Suggestion: "Use http or https.",
		}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("dialling %q: %w", addr, err)
	}
	t, err := newTarget(host, port)
	if err != nil || t.port == 0 {
		return nil, &BlockedError{
			Host: addr, Reason: "it is not a host with a port",
			Suggestion: "Write it as in example.com:443.",
		}
	}
	if local, _ := g.mappedAddr(t); local != "" {
		return g.dialWithin(ctx, network, local, dialTimeout)
	}
	addrs, err := g.allowedAddrs(ctx, t)
	if err != nil {
		if isBlocked(err) {
			g.log.Info("connection blocked", "host", t.String(), "err", err)
		}
		return nil, err
	}
	return g.dialAny(ctx, network, t, addrs)
}

// dialAny dials addrs in the resolver's order until one responds. All except the last have a short timeout, so that one
// dead address does not use up the time.
func (g *Guard) dialAny(ctx context.Context, network string, t target, addrs []netip.Addr) (net.Conn, error) {
	var errs []error
	for i, a := range addrs {
		limit := dialTimeout
		if i < len(addrs)-1 {
			limit = fallbackTimeout
		}
		conn, err := g.dialWithin(ctx, network, netip.AddrPortFrom(a, t.port).String(), limit)
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

func (g *Guard) dialWithin(ctx context.Context, network, address string, limit time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return g.dial(ctx, network, address)
}
