package egress

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

func TestTransportBlocksRedirectToLoopback(t *testing.T) {
	var reached atomic.Bool
	inside := serve(t, func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	outside := serve(t, func(w http.ResponseWriter,
		r *http.Request,
	) {
		http.Redirect(w, r, inside.URL, http.StatusFound)
	})
	g := newGuard(t, nil)
	g.MapHost("shop.example", strings.TrimPrefix(outside.URL, "http://"))

	client := &http.Client{Transport: g.Transport()}
	res, err := client.Get("http://shop.example/")
	if err == nil {
		_ = res.Body.Close()
	}
	var blocked *BlockedError
	if !errors.As(err, &blocked) || blocked.Reason != "it is this machine" {
		t.Fatalf("got %v, want the redirect blocked", err)
	}
	if reached.Load() {
		t.Error("the server inside was reached")
	}
}

func TestTransportReachesAllowedHosts(t *testing.T) {
	s := serve(t, hello)
	g := newGuard(t, map[string][]string{"inward.example": {"127.0.0.1"}})
	client := &http.Client{Transport: g.Transport()}
	for _, host := range []string{"127.0.0.1", "localhost", "inward.example"} {
		t.Run(host, func(t *testing.T) {
			address := "http://" + host + portOf(s) + "/"
			if res, err := client.Get(address); err == nil {
				_ = res.Body.Close()
				t.Fatal("it was reached before it was allowed")
			}
			g.Allow(host)
			res, err := client.Get(address)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
		})
	}
}

// rebinding is a resolver that returns a public address first and loopback afterwards.
type rebinding struct{ lookups atomic.Int32 }

func (r *rebinding) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if r.lookups.Add(1) == 1 {
		return []netip.Addr{netip.AddrFrom4([4]byte{93, 184, 216, 34})}, nil
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}

func TestDialBlocksDNSRebinding(t *testing.T) {
	var reached atomic.Bool
	s := serve(t, func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	g := New(Config{Resolver: &rebinding{}})
	defer func() { _ = g.Close() }()
	address := "http://turning.example" + portOf(s) + "/"
	if err := g.Check(t.Context(), address); err != nil {
		t.Fatalf("the first lookup returned a public address: %v", err)
	}
	res, err := (&http.Client{Transport: g.Transport()}).Get(address)
	if err == nil {
		_ = res.Body.Close()
	}
	if !isBlocked(err) || reached.Load() {
		t.Fatalf("got %v, reached %v", err, reached.Load())
	}
}

func TestDialLooksUpNameOnce(t *testing.T) {
	n := &fakeResolver{known: map[string][]string{"inward.example": {"127.0.0.1"}}}
	g := New(Config{Resolver: n, AllowHosts: []string{"inward.example"}})
	defer func() { _ = g.Close() }()
	s := serve(t, hello)
	conn, err := g.DialContext(t.Context(), "tcp", "inward.example"+portOf(s))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if got := n.lookups.Load(); got != 1 {
		t.Errorf("%d lookups; the dialled address must be the checked one", got)
	}
}

func TestDialTriesNextAddress(t *testing.T) {
	s := serve(t, hello) // listens on IPv4 only
	g := newGuard(t, map[string][]string{"two.example": {"::1", "127.0.0.1"}}, "two.example")
	conn, err := g.DialContext(t.Context(), "tcp", "two.example"+portOf(s))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

func TestDialBlocksOtherNetworksAndInvalidAddresses(t *testing.T) {
	g := newGuard(t, nil, "localhost")
	for _, c := range [][2]string{
		{"udp", "localhost:53"},
		{"unix", "/tmp/x"},
		{"tcp", "localhost:0"},
		{"tcp", "loc alhost:80"},
	} {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			conn, err := g.DialContext(t.Context(), c[0], c[1])
			if err == nil {
				_ = conn.Close()
			}
			if !isBlocked(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestMapHostReachesOnlyItsListener(t *testing.T) {
	s := serve(t, hello)
	local := strings.TrimPrefix(s.URL, "http://")
	g := newGuard(t, nil)
	g.MapHost("demo.sextant.test", local)
	g.MapHost("broken.test", "nowhere")
	if err := g.Check(t.Context(), "http://demo.sextant.test/lamps"); err != nil {
		t.Error(err)
	}
	if err := g.Check(t.Context(), "https://demo.sextant.test/"); err == nil ||
		!strings.Contains(err.Error(), "Use http://demo.sextant.test/.") {
		t.Errorf("https: got %v", err)
	}
	if err := g.Check(t.Context(), s.URL); err == nil {
		t.Error("the listener behind the mapped host is allowed under its own address")
	}
	res, err := (&http.Client{Transport: g.Transport()}).Get("http://DEMO.sextant.test/")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}
