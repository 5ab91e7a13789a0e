package shell

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

const maxHosts = 256

func (t *Tools) canLimitNetwork() bool {
	return t.cfg.Egress != nil && t.cfg.CheckHost != nil && t.cfg.Sandbox.IsolatesNetwork()
}

// Each host is decided once, and concurrent connections wait for the same decision. A question stays open even if the
// connection that caused it is closed.
type networkGate struct {
	t    *Tools
	call toolspec.Call
	// ctx ends with the run and then closes open questions.
	ctx    context.Context //nolint:containedctx // a gate lives for one run
	cancel context.CancelFunc
	asking sync.WaitGroup
	// local is true if the command names a host of this machine.
	local bool

	mu    sync.Mutex
	hosts map[string]*hostDecision
	// failed contains, by host, why the last connection to a granted host failed.
	failed map[string]string
}

// After done is closed, a non-nil err says why the host may not be reached.
type hostDecision struct {
	done chan struct{}
	err  error
}

// named contains the hosts that the command names; they were judged with the call.
func (t *Tools) newGate(ctx context.Context, call toolspec.Call, named []string) *networkGate {
	ctx, cancel := context.WithCancel(ctx)
	g := &networkGate{
		t: t, call: call, ctx: ctx, cancel: cancel, hosts: map[string]*hostDecision{}, failed: map[string]string{},
	}
	for _, host := range named {
		done := make(chan struct{})
		close(done)
		g.hosts[hostKey(host)] = &hostDecision{done: done}
		g.local = g.local || policy.IsLocalHost(host)
	}
	return g
}

func hostKey(host string) string {
	host = policy.NormalizeHost(host)
	for _, port := range []string{":80", ":443"} {
		if name, is := strings.CutSuffix(host, port); is &&
			(!strings.Contains(name, ":") || strings.HasPrefix(name, "[")) {
			return strings.Trim(name, "[]")
		}
	}
	return host
}

// By default, connections to local hosts bypass the proxy and reach servers that the command started. If the command
// names a local host, they use the proxy too.
func (g *networkGate) env() []string {
	if !g.local {
		return nil
	}
	return []string{"NO_PROXY=", "no_proxy="}
}

func (g *networkGate) serve(ln net.Listener) (stop func()) {
	return g.t.cfg.Egress.StartProxyOn(g.ctx, ln, g.allow, func(host, why string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.failed[hostKey(host)] = why // limited by maxHosts, because only decided hosts get here
	})
}

func (g *networkGate) allow(ctx context.Context, host string) error {
	g.mu.Lock()
	d, known := g.hosts[hostKey(host)]
	if !known {
		if len(g.hosts) >= maxHosts {
			g.mu.Unlock()
			return errors.New("the command has used too many hosts")
		}
		d = &hostDecision{done: make(chan struct{})}
		g.hosts[hostKey(host)] = d
		g.asking.Go(func() {
			d.err = g.t.cfg.CheckHost(g.ctx, g.call, host)
			close(d.done)
		})
	}
	g.mu.Unlock()
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *networkGate) close() {
	g.cancel()
	g.asking.Wait()
}

func (g *networkGate) report(r *toolspec.Result) {
	g.close()
	g.mu.Lock()
	defer g.mu.Unlock()
	var reached, refused []string
	for _, host := range slices.Sorted(maps.Keys(g.hosts)) {
		if err := g.hosts[host].err; err != nil {
			refused = append(refused, host+" ("+err.Error()+")")
			continue
		}
		reached = append(reached, host)
	}
	value, _ := r.Value.(map[string]any)
	if len(reached) > 0 {
		value["hosts"] = reached
		r.Sources = []string{fromNetwork}
	}
	for _, host := range slices.Sorted(maps.Keys(g.failed)) {
		addLine(r, "A connection failed: "+g.failed[host])
	}
	if len(refused) > 0 {
		value["hosts_refused"] = refused
		addLine(r, "Not reached: "+strings.Join(refused, "; "))
	}
}
