// Package egress is the one way out (ARCHITECTURE 13). Every request of a tool goes through
// Transport, every request of the controlled browser through the proxy that StartProxy
// opens, and both end in DialContext, where the address is judged after names are resolved
// and the very address that was judged is dialled. So a name that points inwards, a
// redirect, a frame or a socket meets the same answer as a typed address.
//
// Public addresses are free. This machine, private networks and what clouds keep for their
// own are closed until someone opens them by name: Open for a host that a person typed,
// Config.AllowHosts for what a program's user named. Opening a name opens that name, not
// its address: another name for the same machine stays closed. Sextant's own ports are
// never reachable (Never), whatever was opened.
//
// It is not a policy: whether a request to a public host asks first is decided elsewhere.
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

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config says what is open from the start. The zero value opens nothing and logs nothing.
type Config struct {
	AllowHosts []string // hosts or host:port; what Valid refuses is logged and left out
	// hosts (and the names below them) or host:port that are never reached; "*" is all that AllowHosts does not name
	DenyHosts []string
	Log       *slog.Logger // nil for none
	Resolver  Resolver     // nil for the system's
	// Dial connects to an address ("93.184.216.34:443") that was judged before; nil for the
	// system's. It must end with ctx.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Guard judges and dials. It is safe for concurrent use.
type Guard struct {
	log       *slog.Logger
	resolver  Resolver
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	transport *http.Transport

	// deny, denyRest and allowed do not change after New.
	deny     []target
	denyRest bool
	allowed  map[target]bool

	mu     sync.RWMutex
	opened map[target]bool
	never  []netip.AddrPort
	// neverNames are what NeverAt closed by name, whatever the name leads to later.
	neverNames map[target]bool
	mapped     map[target]string
	proxy      *proxy
}

// The longest a name may take to resolve in Check, a connection to be made, and one to be
// made while there are other addresses to try.
const (
	checkTimeout = 3 * time.Second
	dialTimeout  = 30 * time.Second
	earlyTimeout = 3 * time.Second
)

// New makes a guard. It starts nothing; Close is needed once Transport or StartProxy was used.
func New(cfg Config) *Guard {
	g := &Guard{
		log:      cfg.Log,
		resolver: cfg.Resolver,
		dial:     cfg.Dial,
		opened:   map[target]bool{},
		mapped:   map[target]string{},

		neverNames: map[target]bool{},
		allowed:    map[target]bool{},
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
		g.Open(h)
	}
	maps.Copy(g.allowed, g.opened)
	for _, h := range cfg.DenyHosts {
		g.denyHost(h)
	}
	return g
}

// denyHost adds one entry of the list of denied hosts.
func (g *Guard) denyHost(host string) {
	if host == everything {
		g.denyRest = true
		return
	}
	t, err := parseTarget(host)
	if err != nil {
		g.log.Warn("not denied", "host", host, "error", err)
		return
	}
	g.deny = append(g.deny, t)
}

// everything denies all hosts that are not allowed by name.
const everything = "*"

// ValidDenied is Valid for an entry of Config.DenyHosts.
func ValidDenied(host string) error {
	if host == everything {
		return nil
	}
	return Valid(host)
}

// Valid reports why host can not be opened or mapped, nil when it can. It wants a host or
// host:port: "localhost", "127.0.0.1:8080", "[::1]:3000".
func Valid(host string) error {
	_, err := parseTarget(host)
	return err
}

// Open opens host for as long as the guard lives: a host opens all its ports, host:port
// that one. A host that Valid refuses is logged and opens nothing.
func (g *Guard) Open(host string) {
	t, err := parseTarget(host)
	if err != nil {
		g.log.Warn("not opened", "host", host, "error", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened[t] = true
}

// OpenTyped opens what a person typed, and not more: host:port that one, a host without a
// port the usual ports of http and https.
func (g *Guard) OpenTyped(host string) {
	t, err := parseTarget(host)
	if err != nil {
		g.log.Warn("not opened", "host", host, "error", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.port != 0 {
		g.opened[t] = true
		return
	}
	for _, port := range []uint16{80, 443} {
		g.opened[target{host: t.host, port: port}] = true
	}
}

// OpenOnly opens hosts as Open does and closes what else was opened.
func (g *Guard) OpenOnly(hosts []string) {
	opened := map[target]bool{}
	for _, host := range hosts {
		t, err := parseTarget(host)
		if err != nil {
			g.log.Warn("not opened", "host", host, "error", err)
			continue
		}
		opened[t] = true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = opened
}

// Opened reports whether host (or host:port) was opened: by itself, or its host as a whole.
func (g *Guard) Opened(host string) bool {
	t, err := parseTarget(host)
	return err == nil && g.isOpen(t)
}

func (g *Guard) isOpen(t target) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.opened[t] || g.opened[target{host: t.host}]
}

// Never closes addr ("127.0.0.1:4000", one of our own listeners) for good, also under
// opened names. A loopback address closes its port on every address of this machine.
func (g *Guard) Never(addr string) {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		g.log.Error("own port not closed", "addr", addr, "error", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.never = append(g.never, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
}

// NeverAt is Never for an http, https, ws or wss address in any spelling, and for all that its
// name leads to now. The error is that of an address which cannot be read; nothing is closed then.
func (g *Guard) NeverAt(ctx context.Context, rawURL string) error {
	u, err := url.Parse(strings.TrimSpace(rawURL))
	if err != nil {
		return fmt.Errorf("reading the address %q: want one such as http://127.0.0.1:9222", rawURL)
	}
	switch strings.ToLower(u.Scheme) {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	}
	t, refused := urlTarget(u)
	if refused != nil {
		return fmt.Errorf("reading the address %q: %s", rawURL, refused.Reason)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	addrs, err := g.resolve(ctx, t)
	if err != nil {
		// A name that leads nowhere now is closed as a name.
		g.log.Warn("not closed by its address", "host", t.host, "error", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.neverNames[t] = true
	for _, a := range addrs {
		g.never = append(g.never, netip.AddrPortFrom(a.WithZone("").Unmap(), t.port))
	}
	return nil
}

// OwnPorts are the loopback ports that Never closed: what else of ours runs commands must keep
// them closed too.
func (g *Guard) OwnPorts() []uint16 {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var ports []uint16
	for _, n := range g.never {
		if n.Addr().IsLoopback() {
			ports = append(ports, n.Port())
		}
	}
	return ports
}

// Map makes the invented host (port 80, or the port given with it) an alias of addr, a
// local listener as "127.0.0.1:PORT"; it is reachable whatever is opened. Such a host has no other ports.
func (g *Guard) Map(host, addr string) {
	t, err := parseTarget(host)
	if err != nil {
		g.log.Error("not mapped", "host", host, "error", err)
		return
	}
	if _, err := netip.ParseAddrPort(addr); err != nil {
		g.log.Error("not mapped", "host", host, "addr", addr, "error", err)
		return
	}
	if t.port == 0 {
		t.port = 80
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mapped[t] = addr
}

// mappedTo is the listener behind t; known is true when the host is mapped on any port.
func (g *Guard) mappedTo(t target) (addr string, known bool) {
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

// Check judges an address before something goes there: only http and https, and a host
// that may be reached. The error is a *Refused, with what to do next. A name that does not
// resolve (within 3 s) passes: going there tells better what is wrong.
func (g *Guard) Check(ctx context.Context, rawURL string) error {
	if len(rawURL) > maxURL {
		return &Refused{
			Host: rawURL[:80] + "…", Reason: "the address is longer than 64 KB",
			Suggestion: "Use a shorter address.",
		}
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return &Refused{
			Host: rawURL, Reason: "that is no address",
			Suggestion: "Write it like https://example.com/page.",
		}
	}
	t, refused := urlTarget(u)
	if refused != nil {
		return refused
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if _, err := g.judge(ctx, t); isRefused(err) {
		return err
	}
	return nil
}

// Transport is the guard's http.Transport, shared by all who ask; an error of it wraps
// *Refused when the address was closed. It follows no proxy of the environment.
func (g *Guard) Transport() *http.Transport { return g.transport }

// Close stops the proxy, its connections and idle connections of Transport, and waits for
// them. It may be called more than once.
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
