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

// DialContext dials addr ("host:port") over TCP when the guard lets it: names are resolved
// here, each address is judged, and what was judged is what is dialled. The error wraps
// *Refused when nothing of it is open.
func (g *Guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil, &Refused{Host: addr, Reason: "only TCP goes out, not " + network, Suggestion: "Use http or https."}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("dialling %q: %w", addr, err)
	}
	t, err := newTarget(host, port)
	if err != nil || t.port == 0 {
		return nil, &Refused{
			Host: addr, Reason: "that is no host and port",
			Suggestion: "Write it like example.com:443.",
		}
	}
	if local, _ := g.mappedTo(t); local != "" {
		return g.connect(ctx, network, local, dialTimeout)
	}
	addrs, err := g.judge(ctx, t)
	if err != nil {
		if isRefused(err) {
			g.log.Info("egress refused", "host", t.String(), "error", err)
		}
		return nil, err
	}
	return g.dialOne(ctx, network, t, addrs)
}

// dialOne dials addrs in the resolver's order until one answers. All but the last
// get little time, so that one dead address does not use it up.
func (g *Guard) dialOne(ctx context.Context, network string, t target, addrs []netip.Addr) (net.Conn, error) {
	var errs []error
	for i, a := range addrs {
		limit := dialTimeout
		if i < len(addrs)-1 {
			limit = earlyTimeout
		}
		conn, err := g.connect(ctx, network, netip.AddrPortFrom(a, t.port).String(), limit)
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

// connect dials one address that was judged, within limit.
func (g *Guard) connect(ctx context.Context, network, address string, limit time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return g.dial(ctx, network, address)
}
