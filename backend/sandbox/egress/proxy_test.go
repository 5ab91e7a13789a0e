package egress

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

func get(t *testing.T, c *http.Client, address string) (int, string) {
	t.Helper()
	res, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestProxyExplainsBlockedHost(t *testing.T) {
	var reached atomic.Bool
	s := serve(t, func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	g := newGuard(t, nil)
	status, body := get(t, proxyClient(t, g), s.URL)
	if status != http.StatusForbidden || reached.Load() {
		t.Fatalf("status %d, reached %v", status, reached.Load())
	}
	for _, want := range []string{
		"127.0.0.1" + portOf(s) + " is blocked", "It is this machine.",
		"Type the address yourself, or start Sextant with --allow-hosts 127.0.0.1.",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q:\n%s", want, body)
		}
	}
}

func TestProxyForwardsRequestsUnchanged(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s host=%s body=%s ua=%s fwd=%s via=%s", r.Method, r.URL.RequestURI(), r.Host, b,
			r.UserAgent(), r.Header.Get("X-Forwarded-For"), r.Header.Get("Proxy-Connection"))
	})
	g := newGuard(t, nil)
	g.MapHost("shop.example", strings.TrimPrefix(s.URL, "http://"))
	req, err := http.NewRequest(http.MethodPut, "http://shop.example/a%2Fb?x=1;y=%zz&z", strings.NewReader("words"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "browser")
	res, err := proxyClient(t, g).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(res.Body)
	if want := "PUT /a%2Fb?x=1;y=%zz&z host=shop.example body=words ua=browser fwd= via="; string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

func TestProxyChecksRedirects(t *testing.T) {
	inside := serve(t, hello)
	outside := serve(t, func(w http.ResponseWriter,
		r *http.Request,
	) {
		http.Redirect(w, r, inside.URL, http.StatusFound)
	})
	g := newGuard(t, nil)
	g.MapHost("shop.example", strings.TrimPrefix(outside.URL, "http://"))
	status, body := get(t, proxyClient(t, g), "http://shop.example/")
	if status != http.StatusForbidden || !strings.Contains(body, "this machine") {
		t.Errorf("got %d %s", status, body)
	}
}

func TestProxyTunnelsTLSOnlyToAllowedHosts(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(hello))
	defer s.Close()
	g := newGuard(t, nil)
	client := proxyClient(t, g)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	res, err := client.Get(s.URL)
	if err == nil {
		_ = res.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Fatalf("got %v, want CONNECT refused with 403", err)
	}
	g.Allow("127.0.0.1")
	if status, body := get(t, client, s.URL); status != http.StatusOK || body != "hello" {
		t.Errorf("got %d %q", status, body)
	}
}

func TestProxyForwardsWebSocketsTunnelledAndPlain(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		for {
			kind, b, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(kind, append([]byte("echo "), b...)) != nil {
				return
			}
		}
	})
	g := newGuard(t, nil)
	g.MapHost("shop.example", strings.TrimPrefix(s.URL, "http://"))
	addr, err := g.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	tunnelled := websocket.Dialer{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}
	conn, res, err := tunnelled.Dial("ws://shop.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	defer func() { _ = conn.Close() }()
	if err := conn.WriteMessage(websocket.TextMessage, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if _, b, err := conn.ReadMessage(); err != nil || string(b) != "echo one" {
		t.Fatalf("got %q, %v", b, err)
	}
	if _, res, err := tunnelled.Dial("ws://127.0.0.1"+portOf(s), nil); err == nil {
		_ = res.Body.Close()
		t.Error("a WebSocket to this machine was opened")
	}

	raw := rawConn(t, addr)
	_, _ = io.WriteString(raw,
		"GET http://shop.example/ HTTP/1.1\r\nHost: shop.example\r\nConnection: Upgrade\r\nUpgrade: "+
			"websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	line, err := bufio.NewReader(raw).ReadString('\n')
	if err != nil || !strings.Contains(line, "101") {
		t.Errorf("plain form: got %q, %v", line, err)
	}
}

func rawConn(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestProxyRefusesPagesLoopsAndMalformedRequests(t *testing.T) {
	g := newGuard(t, nil, "127.0.0.1", "localhost")
	client := proxyClient(t, g)
	addr, err := g.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.Get("http://" + addr + "/"); err != nil {
		t.Error(err)
	} else {
		_ = res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("a plain page request got %d", res.StatusCode)
		}
	}
	if status, body := get(t, client, "http://"+addr+"/"); status != http.StatusForbidden ||
		!strings.Contains(body, "own port") {
		t.Errorf("a request for the proxy itself got %d %s", status, body)
	}
	for _, wrong := range []string{
		"GET ftp://host/ HTTP/1.1\r\nHost: host\r\n\r\n",
		"GET https://host/ HTTP/1.1\r\nHost: host\r\n\r\n",
		"CONNECT nowhere HTTP/1.1\r\nHost: nowhere\r\n\r\n",
		"CONNECT a:b:c HTTP/1.1\r\nHost: a:b:c\r\n\r\n",
		"GET http://x/ HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat("a", 2*maxHeaderBytes) + "\r\n\r\n",
	} {
		t.Run(wrong[:min(len(wrong), 40)], func(t *testing.T) {
			conn := rawConn(t, addr)
			_, _ = io.WriteString(conn, wrong)
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err == nil && !strings.HasPrefix(line, "HTTP/1.1 4") && !strings.HasPrefix(line, "HTTP/1.1 502") {
				t.Errorf("%.40q got %q", wrong, line)
			}
		})
	}
}

func TestProxyExplainsUnreachableHosts(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	g := newGuard(t, nil, "127.0.0.1")
	client := proxyClient(t, g)
	if status, body := get(t, client, "http://"+closed.Addr().String()+"/"); status != http.StatusBadGateway ||
		!strings.Contains(body, "could not be reached") {
		t.Errorf("nobody listens: %d %s", status, body)
	}
	if status, body := get(t, client, "http://unknown.example/<script>"); status != http.StatusBadGateway ||
		!strings.Contains(body, "unknown.example was not found") {
		t.Errorf("unknown name: %d %s", status, body)
	}
}

func TestProxyStreamsResponses(t *testing.T) {
	finish := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "first\n")
		_ = http.NewResponseController(w).Flush()
		<-finish
	})
	defer close(finish)
	g := newGuard(t, nil)
	g.MapHost("shop.example", strings.TrimPrefix(s.URL, "http://"))
	res, err := proxyClient(t, g).Get("http://shop.example/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "first\n" {
		t.Errorf("got %q, %v", line, err)
	}
}

func TestProxyServesConcurrentRequests(t *testing.T) {
	s := serve(t, hello)
	g := newGuard(t, nil)
	g.MapHost("shop.example", strings.TrimPrefix(s.URL, "http://"))
	client := proxyClient(t, g)
	var all sync.WaitGroup
	var good atomic.Int32
	for i := range 200 {
		all.Go(func() {
			host := "shop.example"
			if i%2 == 1 {
				host = "127.0.0.1" + portOf(s)
			}
			res, err := client.Get("http://" + host + "/")
			if err != nil {
				t.Error(err)
				return
			}
			_ = res.Body.Close()
			if (res.StatusCode == http.StatusOK) == (i%2 == 0) {
				good.Add(1)
			}
			g.Allow(fmt.Sprintf("host%d.example", i))
		})
	}
	all.Wait()
	if good.Load() != 200 {
		t.Errorf("%d of 200 requests got the right answer", good.Load())
	}
}

func TestCloseEndsTunnelsAndPendingRequests(t *testing.T) {
	requested := make(chan struct{}, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		requested <- struct{}{}
		<-r.Context().Done()
	})
	g := New(Config{AllowHosts: []string{"127.0.0.1"}})
	addr, err := g.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	tunnel := rawConn(t, addr)
	_, _ = fmt.Fprintf(tunnel, "CONNECT 127.0.0.1%s HTTP/1.1\r\nHost: x\r\n\r\n", portOf(s))
	reader := bufio.NewReader(tunnel)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("got %q, %v", line, err)
	}
	waiting := rawConn(t, addr)
	_, _ = fmt.Fprintf(waiting, "GET %s/ HTTP/1.1\r\nHost: x\r\n\r\n", s.URL)
	<-requested
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(reader); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the tunnel ended with %v", err)
	}
	if err := g.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if conn, err := net.Dial("tcp", addr); err == nil {
		_ = conn.Close()
		t.Error("the proxy still listens")
	}
}
