package egress

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/idna"
)

var update = flag.Bool("update", false, "write testdata/forms.tsv anew")

const formsFile = "testdata/forms.tsv"

func TestTheCommittedTableIsTheGeneratedOne(t *testing.T) {
	var b bytes.Buffer
	for _, f := range forms() {
		_, _ = fmt.Fprintln(&b, f)
	}
	if *update {
		if err := os.WriteFile(formsFile, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(formsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, b.Bytes()) {
		t.Error("testdata/forms.tsv is stale; run: go test ./backend/sandbox/egress -run CommittedTable -update")
	}
}

// world is a network of two servers: one stands behind every public address, and a canary
// behind every other, which counts who comes and each byte.
type world struct {
	public *httptest.Server
	canary net.Listener
	landed atomic.Int32
	bytes  atomic.Int64
	seen   atomic.Int32

	mu      sync.Mutex
	row     form
	looked  bool
	reading sync.WaitGroup
}

// isOuter is the table's own opinion, written down apart from the guard's.
func isOuter(a netip.Addr) bool {
	for _, s := range append(outerIPv4(), outerIPv6()...) {
		known, _ := netip.ParseAddr(s)
		if a == known || a.Is6() && known.Is4() && holds(a, known.As4()) {
			return true
		}
	}
	return false
}

// holds reports whether a is one of the transition forms of an IPv4 address.
func holds(a netip.Addr, v4 [4]byte) bool {
	for _, w := range wrapped(v4) {
		if parsed, err := netip.ParseAddr(strings.Trim(w, "[]")); err == nil && parsed == a {
			return true
		}
	}
	return false
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	w.public = serve(t, w.answer)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.canary = ln
	w.reading.Go(w.count)
	t.Cleanup(func() {
		_ = ln.Close()
		w.reading.Wait()
	})
	return w
}

// count takes what reaches the canary.
func (w *world) count() {
	for {
		c, err := w.canary.Accept()
		if err != nil {
			return
		}
		w.seen.Add(1)
		w.reading.Go(func() {
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			n, _ := io.Copy(io.Discard, c)
			w.bytes.Add(n)
			_ = c.Close()
		})
	}
}

// dial is the seam: what was judged, whatever it is, has a server behind it.
func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	to := w.canary.Addr().String()
	if ap, err := netip.ParseAddrPort(address); err == nil && isOuter(ap.Addr()) {
		to = w.public.Listener.Addr().String()
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

// LookupNetIP implements Resolver by the row that is tried.
func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	answers := strings.Split(w.row.answers, ",")
	switch {
	case host == "inward.example":
		answers = []string{"127.0.0.1"}
	case strings.HasPrefix(w.row.how, "redirect"), w.row.how == "chain", w.row.how == "refresh":
		answers = []string{"93.184.216.34"}
	case w.row.answers == "":
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case w.row.how == "rebind" && !w.looked:
		w.looked = true
		answers = answers[:1]
	case w.row.how == "rebind":
		answers = answers[1:]
	}
	var addrs []netip.Addr
	for _, a := range answers {
		addr, err := netip.ParseAddr(a)
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

// answer is the public server's.
func (w *world) answer(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	row := w.row
	w.mu.Unlock()
	start := r.URL.Path == "/go/on"
	redirect, status := 0, 0
	if _, err := fmt.Sscanf(row.how, "redirect %d", &status); err == nil && start {
		redirect = status
	}
	if row.how == "chain" {
		if next, ok := map[string]string{
			"/go/on": "/2", "/2": "http://second.example/3",
			"/3": row.text,
		}[r.URL.Path]; ok {
			rw.Header()["Location"] = []string{next}
			rw.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
	}
	if redirect != 0 && r.URL.RawQuery == "" {
		rw.Header()["Location"] = []string{row.text}
		rw.WriteHeader(redirect)
		return
	}
	if row.how == "refresh" {
		rw.Header().Set("Refresh", "0;url="+row.text)
		rw.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(rw, `<meta http-equiv=refresh content="0;url=%s"><base href="%s"><img src="%s">`, row.text,
			row.text, row.text)
		return
	}
	w.landed.Add(1)
	_, _ = io.WriteString(rw, "public")
}

// try sends one row through client and reports whether the public server was reached as the end of the way.
func (w *world) try(t *testing.T, g *Guard, client *http.Client, row form) bool {
	t.Helper()
	w.mu.Lock()
	w.row, w.looked = row, row.how != "rebind"
	w.mu.Unlock()
	w.landed.Store(0)
	address := row.text
	switch {
	case row.how == "rebind":
		w.mu.Lock()
		w.looked = false
		w.mu.Unlock()
		if err := g.Check(t.Context(), address); err != nil {
			t.Errorf("%s: the first look saw a public address: %v", row, err)
		}
	case row.how != "direct" && row.how != "name":
		address = "http://public.example/go/on"
	}
	res, err := client.Get(address)
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
		_ = res.Body.Close()
	}
	return err == nil && w.landed.Load() > 0
}

// clients are the two ways out: a tool's and the browser's.
func (w *world) clients(t *testing.T) map[string]*http.Client {
	t.Helper()
	tool := New(Config{Resolver: w, Dial: w.dial})
	browser := New(Config{Resolver: w, Dial: w.dial})
	t.Cleanup(func() { _, _ = tool.Close(), browser.Close() })
	addr, err := browser.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	way := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}
	t.Cleanup(way.CloseIdleConnections)
	return map[string]*http.Client{"transport": {Transport: tool.Transport()}, "proxy": {Transport: asABrowser{way}}}
}

// asABrowser sends the names of hosts as browsers do: Go's own client writes a look-alike of
// a digit out as a name to a proxy.
type asABrowser struct{ next http.RoundTripper }

func (b asABrowser) RoundTrip(req *http.Request) (*http.Response, error) {
	if host, err := idna.Lookup.ToASCII(req.URL.Host); err == nil {
		req = req.Clone(req.Context())
		req.URL.Host, req.Host = host, ""
	}
	return b.next.RoundTrip(req)
}

func TestNoFormOfAnAddressReachesAPrivateServerAndNoPublicOneIsRefused(t *testing.T) {
	table := forms()
	if len(table) < 1000 {
		t.Fatalf("the table has only %d forms", len(table))
	}
	w := newWorld(t)
	wrong := 0
	for way, client := range w.clients(t) {
		judge := New(Config{Resolver: w, Dial: w.dial})
		for _, row := range table {
			before := w.seen.Load()
			landed := w.try(t, judge, client, row)
			if w.seen.Load() != before {
				t.Errorf("%s by the %s reached a private server", row, way)
			}
			if landed != row.open {
				wrong++
				t.Errorf("%s by the %s: reached a public server is %v", row, way, landed)
			}
		}
	}
	_ = w.canary.Close()
	w.reading.Wait()
	fmt.Printf("egress: %d forms, %d reached, %d refused wrongly; %d bytes at the private server\n", len(table),
		w.seen.Load(), wrong, w.bytes.Load())
}
