package egress

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// names is a resolver of invented names; each look-up is counted.
type names struct {
	known map[string][]string
	asked atomic.Int32
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.asked.Add(1)
	list, ok := n.known[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, s := range list {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, a)
	}
	return addrs, nil
}

func newGuard(t *testing.T, known map[string][]string, allow ...string) *Guard {
	t.Helper()
	g := New(Config{AllowHosts: allow, Resolver: &names{known: known}})
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }

// portOf is the port of a test server, ":4000".
func portOf(s *httptest.Server) string {
	return s.URL[strings.LastIndexByte(s.URL, ':'):]
}

// through is a client whose requests go through g's proxy, as the browser's do.
func through(t *testing.T, g *Guard) *http.Client {
	t.Helper()
	addr, err := g.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	way := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}
	t.Cleanup(way.CloseIdleConnections)
	return &http.Client{Transport: way, Timeout: 10 * time.Second}
}
