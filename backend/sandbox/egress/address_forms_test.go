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

var update = flag.Bool("update", false, "rewrite testdata/forms.tsv")

const formsFile = "testdata/forms.tsv"

func TestFormsFileIsCurrent(t *testing.T) {
	var b bytes.Buffer
	for _, f := range allForms() {
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
		t.Error("testdata/forms.tsv is stale; run: go test ./backend/sandbox/egress -run FormsFile -update")
	}
}

// fakeNetwork is a network of two servers: one answers at every public address. The other, a canary, answers at
// every other address and counts connections and bytes.
type fakeNetwork struct {
	public      *httptest.Server
	canary      net.Listener
	publicHits  atomic.Int32
	canaryBytes atomic.Int64
	canaryHits  atomic.Int32

	mu       sync.Mutex
	row      addressForm
	resolved bool
	readers  sync.WaitGroup
}

// isPublic reports whether the table lists a as public, independent of the guard.
func isPublic(a netip.Addr) bool {
	for _, s := range append(publicIPv4(), publicIPv6()...) {
		known, _ := netip.ParseAddr(s)
		if a == known || a.Is6() && known.Is4() && embeds(a, known.As4()) {
			return true
		}
	}
	return false
}

// embeds reports whether a is an IPv6 address that embeds v4.
func embeds(a netip.Addr, v4 [4]byte) bool {
	for _, w := range embeddedInIPv6(v4) {
		if parsed, err := netip.ParseAddr(strings.Trim(w, "[]")); err == nil && parsed == a {
			return true
		}
	}
	return false
}

func newFakeNetwork(t *testing.T) *fakeNetwork {
	t.Helper()
	w := &fakeNetwork{}
	w.public = serve(t, w.servePublic)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.canary = ln
	w.readers.Go(w.countCanary)
	t.Cleanup(func() {
		_ = ln.Close()
		w.readers.Wait()
	})
	return w
}

// countCanary counts what reaches the canary.
func (f *fakeNetwork) countCanary() {
	for {
		c, err := f.canary.Accept()
		if err != nil {
			return
		}
		f.canaryHits.Add(1)
		f.readers.Go(func() {
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			n, _ := io.Copy(io.Discard, c)
			f.canaryBytes.Add(n)
			_ = c.Close()
		})
	}
}

// dial connects every address to one of the two servers.
func (f *fakeNetwork) dial(ctx context.Context, network, address string) (net.Conn, error) {
	to := f.canary.Addr().String()
	if ap, err := netip.ParseAddrPort(address); err == nil && isPublic(ap.Addr()) {
		to = f.public.Listener.Addr().String()
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

// LookupNetIP implements Resolver with the answers of the current row.
func (f *fakeNetwork) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answers := strings.Split(f.row.answers, ",")
	switch {
	case host == "inward.example":
		answers = []string{"127.0.0.1"}
	case strings.HasPrefix(f.row.via, "redirect"), f.row.via == "chain", f.row.via == "refresh":
		answers = []string{"93.184.216.34"}
	case f.row.answers == "":
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case f.row.via == "rebind" && !f.resolved:
		f.resolved = true
		answers = answers[:1]
	case f.row.via == "rebind":
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

// servePublic is the handler of the public server.
func (f *fakeNetwork) servePublic(rw http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	row := f.row
	f.mu.Unlock()
	start := r.URL.Path == "/go/on"
	redirect, status := 0, 0
	if _, err := fmt.Sscanf(row.via, "redirect %d", &status); err == nil && start {
		redirect = status
	}
	if row.via == "chain" {
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
	if row.via == "refresh" {
		rw.Header().Set("Refresh", "0;url="+row.text)
		rw.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(rw, `<meta http-equiv=refresh content="0;url=%s"><base href="%s"><img src="%s">`, row.text,
			row.text, row.text)
		return
	}
	f.publicHits.Add(1)
	_, _ = io.WriteString(rw, "public")
}

// request requests one row with client and reports whether the public server answered it.
func (f *fakeNetwork) request(t *testing.T, g *Guard, client *http.Client, row addressForm) bool {
	t.Helper()
	f.mu.Lock()
	f.row, f.resolved = row, row.via != "rebind"
	f.mu.Unlock()
	f.publicHits.Store(0)
	address := row.text
	switch {
	case row.via == "rebind":
		f.mu.Lock()
		f.resolved = false
		f.mu.Unlock()
		if err := g.Check(t.Context(), address); err != nil {
			t.Errorf("%s: the first lookup returned a public address: %v", row, err)
		}
	case row.via != "direct" && row.via != "name":
		address = "http://public.example/go/on"
	}
	res, err := client.Get(address)
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
		_ = res.Body.Close()
	}
	return err == nil && f.publicHits.Load() > 0
}

// clients returns the clients of a tool and of the browser.
func (f *fakeNetwork) clients(t *testing.T) map[string]*http.Client {
	t.Helper()
	tool := New(Config{Resolver: f, Dial: f.dial})
	browser := New(Config{Resolver: f, Dial: f.dial})
	t.Cleanup(func() { _, _ = tool.Close(), browser.Close() })
	addr, err := browser.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}
	t.Cleanup(transport.CloseIdleConnections)
	return map[string]*http.Client{
		"transport": {Transport: tool.Transport()},
		"proxy":     {Transport: punycodeTransport{transport}},
	}
}

// punycodeTransport sends host names to a proxy as browsers do; Go's client does not convert look-alike digits.
type punycodeTransport struct{ next http.RoundTripper }

func (p punycodeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if host, err := idna.Lookup.ToASCII(req.URL.Host); err == nil {
		req = req.Clone(req.Context())
		req.URL.Host, req.Host = host, ""
	}
	return p.next.RoundTrip(req)
}

func TestAddressFormsReachOnlyPublicServers(t *testing.T) {
	table := allForms()
	if len(table) < 1000 {
		t.Fatalf("the table has only %d forms", len(table))
	}
	w := newFakeNetwork(t)
	wrong := 0
	for name, client := range w.clients(t) {
		guard := New(Config{Resolver: w, Dial: w.dial})
		for _, row := range table {
			before := w.canaryHits.Load()
			reached := w.request(t, guard, client, row)
			if w.canaryHits.Load() != before {
				t.Errorf("%s by the %s reached a private server", row, name)
			}
			if reached != row.open {
				wrong++
				t.Errorf("%s by the %s: reached the public server is %v", row, name, reached)
			}
		}
	}
	_ = w.canary.Close()
	w.readers.Wait()
	fmt.Printf("egress: %d forms, %d reached, %d wrong; %d bytes at the private server\n", len(table),
		w.canaryHits.Load(), wrong, w.canaryBytes.Load())
}
