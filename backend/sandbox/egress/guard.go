// Package egress filters the network access of tools, browser and sandboxed commands (decision 13). Requests of tools
// use Transport, requests of the controlled browser use the proxy of StartProxy, and requests of sandboxed commands use
// StartProxyOn. They end in DialContext, which resolves the name, checks the addresses and dials exactly those that it
// checked. So the same rules apply to a redirect, a frame, a WebSocket or DNS rebinding as to a typed address.
//
// Public addresses are allowed unless Config.DenyHosts blocks them. This machine, private networks and the internal
// addresses of cloud providers are blocked until a host is allowed by name: with AllowTyped for an address that the
// person typed, or with Config.AllowHosts. Allowing a name does not allow other names of the same machine. Sextant's
// own ports stay blocked; see Block.
//
// The package is not the policy, which decides whether a request to a public host needs an approval.
package egress

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Resolver looks up the addresses of a host name. *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config configures a Guard. The zero value allows public addresses only and logs nothing.
type Config struct {
	// AllowHosts are allowed even if their addresses are not public: "host" or "host:port". Invalid entries are logged
	// and ignored.
	AllowHosts []string
	// DenyHosts are always blocked, including their subdomains: "host" or "host:port". The entry "*" blocks every host
	// that is not in AllowHosts.
	DenyHosts []string
	Log       *slog.Logger // nil disables logging
	Resolver  Resolver     // nil uses the system's resolver
	// Dial connects to a checked address such as "93.184.216.34:443" and must return when ctx ends; nil uses
	// net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Guard checks addresses and dials the allowed ones. It is safe for concurrent use.
type Guard struct {
	log       *slog.Logger
	resolver  Resolver
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	transport *http.Transport

	// deniedHosts, denyUnlisted and configAllowed do not change after New.
	deniedHosts   []target
	denyUnlisted  bool
	configAllowed map[target]bool

	mu      sync.RWMutex
	allowed map[target]bool
	blocked []netip.AddrPort
	// blockedNames are blocked by name, whatever they resolve to later.
	blockedNames map[target]bool
	mapped       map[target]string
	proxy        *proxy
	// failures contains the latest failed connections of the browser's proxy by host and port.
	failures map[string]FailureText
}

// Timeouts: for the lookup in Check, for a connection, and for a connection while other addresses remain to be tried.
const (
	checkTimeout    = 3 * time.Second
	dialTimeout     = 30 * time.Second
	fallbackTimeout = 3 * time.Second
)

// New returns a Guard. Call Close after using Transport or StartProxy.
func New(cfg Config) *Guard {
	g := &Guard{
		log:      cfg.Log,
		resolver: cfg.Resolver,
		dial:     cfg.Dial,
		allowed:  map[target]bool{},
		mapped:   map[target]string{},

		blockedNames:  map[target]bool{},
		failures:      map[string]FailureText{},
		configAllowed: map[target]bool{},
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	if g.resolver == nil {
		g.resolver = net.DefaultResolver
	}
	if g.dial == nil {
		g.dial = new(net.Dialer).DialContext
	}
	g.transport = &http.Transport{
		DialContext:            g.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        60 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	for _, h := range cfg.AllowHosts {
		g.Allow(h)
	}
	maps.Copy(g.configAllowed, g.allowed)
	for _, h := range cfg.DenyHosts {
		g.addDenied(h)
	}
	return g
}

func (g *Guard) addDenied(host string) {
	if host == wildcard {
		g.denyUnlisted = true
		return
	}
	t, err := parseTarget(host)
	if err != nil {
		g.log.Warn("invalid host in the list of denied hosts", "host", host, "err", err)
		return
	}
	g.deniedHosts = append(g.deniedHosts, t)
}

const wildcard = "*"

// ValidateDeniedHost is like ValidateHost, for an entry of Config.DenyHosts, which may also be "*".
func ValidateDeniedHost(host string) error {
	if host == wildcard {
		return nil
	}
	return ValidateHost(host)
}

// ValidateHost returns an error unless host is a host or host:port, such as "localhost", "127.0.0.1:8080" or
// "[::1]:3000".
func ValidateHost(host string) error {
	_, err := parseTarget(host)
	return err
}

// Allow allows host: "host" with all its ports, "host:port" with that port. An invalid host is logged and ignored.
func (g *Guard) Allow(host string) {
	t, err := parseTarget(host)
	if err != nil {
		g.log.Warn("invalid host not allowed", "host", host, "err", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed[t] = true
}

// AllowTyped allows a host that the person typed: "host:port" with that port, "host" with ports 80 and 443.
func (g *Guard) AllowTyped(host string) {
	t, err := parseTarget(host)
	if err != nil {
		g.log.Warn("invalid host not allowed", "host", host, "err", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.port != 0 {
		g.allowed[t] = true
		return
	}
	for _, port := range []uint16{80, 443} {
		g.allowed[target{host: t.host, port: port}] = true
	}
}

// SetAllowed replaces all allowed hosts, including those of Config.AllowHosts. As with Allow, "host" allows all ports.
func (g *Guard) SetAllowed(hosts []string) {
	allowed := map[target]bool{}
	for _, host := range hosts {
		t, err := parseTarget(host)
		if err != nil {
			g.log.Warn("invalid host not allowed", "host", host, "err", err)
			continue
		}
		allowed[t] = true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed = allowed
}

// IsAllowed reports whether host or host:port was allowed, either exactly or as a host with all its ports.
func (g *Guard) IsAllowed(host string) bool {
	t, err := parseTarget(host)
	return err == nil && g.allows(t)
}

func (g *Guard) allows(t target) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.allowed[t] || g.allowed[target{host: t.host}]
}

// Block permanently blocks addr, one of Sextant's own listeners such as "127.0.0.1:4000", under every name.
func (g *Guard) Block(addr string) {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		g.log.Error("own port not blocked", "addr", addr, "err", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blocked = append(g.blocked, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
}

// BlockURL is like Block, for an http, https, ws or wss URL and the addresses that its host currently resolves to.
func (g *Guard) BlockURL(ctx context.Context, rawURL string) error {
	u, err := url.Parse(strings.TrimSpace(rawURL))
	if err != nil {
		return fmt.Errorf("%q is not a valid address; use one such as http://127.0.0.1:9222", rawURL)
	}
	switch strings.ToLower(u.Scheme) {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	}
	t, blocked := urlTarget(u)
	if blocked != nil {
		return fmt.Errorf("%q is not a valid address: %s", rawURL, blocked.Reason)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	addrs, err := g.resolve(ctx, t)
	if err != nil {
		// A name that does not resolve is blocked by name only.
		g.log.Warn("host blocked by name only: it has no address now", "host", t.host, "err", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blockedNames[t] = true
	for _, a := range addrs {
		g.blocked = append(g.blocked, netip.AddrPortFrom(a.WithZone("").Unmap(), t.port))
	}
	return nil
}

// BlockedPorts returns the blocked loopback ports, for callers that run commands and must block the same ports.
func (g *Guard) BlockedPorts() []uint16 {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var ports []uint16
	for _, n := range g.blocked {
		if n.Addr().IsLoopback() {
			ports = append(ports, n.Port())
		}
	}
	return ports
}

// MapHost makes an invented host an alias of addr, a local listener such as "127.0.0.1:8080". If host has no port, port
// 80 is mapped. The host has no other ports.
func (g *Guard) MapHost(host, addr string) {
	t, err := parseTarget(host)
	if err != nil {
		g.log.Error("invalid host not mapped", "host", host, "err", err)
		return
	}
	if _, err := netip.ParseAddrPort(addr); err != nil {
		g.log.Error("invalid address not mapped", "host", host, "addr", addr, "err", err)
		return
	}
	if t.port == 0 {
		t.port = 80
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mapped[t] = addr
}

// mappedAddr returns the listener for t. known is true if the host is mapped on any port.
func (g *Guard) mappedAddr(t target) (addr string, known bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if addr, ok := g.mapped[t]; ok {
		return addr, true
	}
	for m := range g.mapped {
		known = known || m.host == t.host
	}
	return "", known
}

// Check returns nil if a request to rawURL may be sent, and a *BlockedError otherwise. Only http and https to an
// allowed host may be sent. A name that does not resolve within 3 s passes, because the request itself will fail with a
// better message.
func (g *Guard) Check(ctx context.Context, rawURL string) error {
	if len(rawURL) > maxURLBytes {
		return &BlockedError{
			Host: rawURL[:80] + "…", Reason: "the address is longer than 64 KB",
			Suggestion: "Use a shorter address.",
		}
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return &BlockedError{
			Host: rawURL, Reason: "it is not a web address",
			Suggestion: "Write it as in https://example.com/page.",
		}
	}
	t, blocked := urlTarget(u)
	if blocked != nil {
		return blocked
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if _, err := g.allowedAddrs(ctx, t); isBlocked(err) {
		return err
	}
	return nil
}

// Transport returns the guard's shared http.Transport. Its error wraps *BlockedError if the address is blocked. It
// ignores proxy variables in the environment.
func (g *Guard) Transport() *http.Transport { return g.transport }

// Close stops the proxy of StartProxy, but not those of StartProxyOn, waits until its connections have ended, and
// closes idle connections of Transport. It may be called more than once.
func (g *Guard) Close() error {
	g.mu.Lock()
	p := g.proxy
	g.proxy = nil
	g.mu.Unlock()
	var err error
	if p != nil {
		err = p.close()
	}
	g.transport.CloseIdleConnections()
	return err
}
