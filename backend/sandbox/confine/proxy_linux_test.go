package confine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sextant/backend/sandbox/egress"
)

// proxyWorld is the network of a run with a proxy: one granted host, and a canary at every other address that counts
// what reaches it.
type proxyWorld struct {
	t           *testing.T
	guard       *egress.Guard
	granted     *httptest.Server
	canary      net.Listener
	token       string
	contacts    atomic.Int64 // connections and lookups of hosts that were not granted
	canaryBytes atomic.Int64 // bytes that arrived there

	mu       sync.Mutex
	asked    []string
	grantAll bool // everything is granted
}

// grantedHost is granted and public. inwardHosts are granted too, but resolve to private addresses.
const grantedHost = "granted.test"

var inwardHosts = map[string]string{
	"inward.test": "127.0.0.1", "private.test": "10.1.2.3",
	"metadata.test": "169.254.169.254", "mapped.test": "::ffff:127.0.0.1",
}

// LookupNetIP implements egress.Resolver.
func (w *proxyWorld) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch {
	case host == grantedHost:
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	case inwardHosts[host] != "":
		return []netip.Addr{netip.MustParseAddr(inwardHosts[host])}, nil
	}
	// A lookup reveals the name to its server.
	w.contacts.Add(1)
	return []netip.Addr{netip.MustParseAddr("198.41.0.4")}, nil
}

func newProxyWorld(t *testing.T, token string) *proxyWorld {
	t.Helper()
	w := &proxyWorld{t: t, token: token}
	w.granted = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if kind := r.Header.Get("Upgrade"); kind != "" {
			rw.WriteHeader(http.StatusTeapot)
		}
		if r.URL.Path == "/away" {
			http.Redirect(rw, r, "http://other.test/", http.StatusFound)
			return
		}
		_, _ = fmt.Fprintf(rw, "welcome to %s", r.Host)
	}))
	t.Cleanup(w.granted.Close)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.canary = ln
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(token))
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
			n, _ := io.Copy(io.Discard, c)
			w.canaryBytes.Add(n)
			_ = c.Close()
		}
	})
	t.Cleanup(func() { _ = ln.Close(); serving.Wait() })
	w.guard = egress.New(egress.Config{Resolver: w, Dial: w.dial})
	t.Cleanup(func() { _ = w.guard.Close() })
	return w
}

// dial connects the granted address with the granted server, and every other with the canary.
func (w *proxyWorld) dial(ctx context.Context, network, address string) (net.Conn, error) {
	to := w.granted.Listener.Addr().String()
	if !strings.HasPrefix(address, "93.184.216.34:") {
		w.contacts.Add(1)
		to = w.canary.Addr().String()
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

func (w *proxyWorld) approve(_ context.Context, host string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, host)
	if w.grantAll || host == grantedHost || inwardHosts[host] != "" {
		return nil
	}
	return errors.New("it was not granted")
}

// run runs a script with the proxy and returns its output.
func (w *proxyWorld) run(c *Sandbox, world *testWorld, script string) string {
	w.t.Helper()
	var out outputBuffer
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	exit, err := c.Run(ctx, Spec{
		Args: []string{"/bin/bash", "--noprofile", "--norc", "-c", script}, Dir: world.ws, Workspace: world.ws,
		Stdout: &out, Stderr: &out,
		Env:   append(world.env, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "OWN="+w.canaryPort()),
		Proxy: func(ln net.Listener) func() { return w.guard.StartProxyOn(ctx, ln, w.approve, nil) },
	})
	if err != nil {
		w.t.Fatalf("%s: %v", script, err)
	}
	if exit.Killed {
		w.t.Errorf("%s: did not end: %s", script, out.String())
	}
	return out.String()
}

// canaryPort returns the canary's port, which stands for one of Sextant's own.
func (w *proxyWorld) canaryPort() string {
	_, port, _ := net.SplitHostPort(w.canary.Addr().String())
	return port
}

// sendToProxy returns a script that sends lines to the proxy unchanged and prints the answer.
func sendToProxy(lines ...string) string {
	return `exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}; printf '` + strings.Join(lines, `\r\n`) +
		`\r\n\r\n' >&3; timeout 5 cat <&3`
}

func proxyProbes() []probe {
	connect := func(to string, more ...string) string {
		return sendToProxy(append([]string{"CONNECT " + to + " HTTP/1.1", "Host: " + to}, more...)...)
	}
	get := func(to string, more ...string) string {
		if !strings.Contains(strings.Join(more, " "), "Host: ") {
			more = append(more, "Host: other.test")
		}
		return sendToProxy(append([]string{"GET " + to + " HTTP/1.1", "Connection: close"}, more...)...)
	}
	all := []probe{
		{name: "a direct connection to the granted address", script: "$P dial tcp 93.184.216.34:80"},
		{
			name:   "a direct connection to our own port",
			script: "$P dial tcp 127.0.0.1:$OWN; $P dial tcp 127.0.0.1:$TCP; $P dial tcp $ADDRESS:$TCP",
		},
		{name: "a direct connection over IPv6", script: "$P dial tcp [::1]:$TCP6; $P mapped"},
		{name: "DNS", script: "getent hosts other.test; $P dial udp 127.0.0.53:53; $P dial udp 198.41.0.4:53; $P " +
			"dial tcp 8.8.8.8:53"},
		{name: "datagrams", script: "$P dial udp 127.0.0.1:$UDP; $P dial udp $ADDRESS:$UDP; $P dial unixgram " +
			"$DGRAM; $P pair 2"},
		{name: "sockets of the machine", script: "$P dial unix $SOCK; $P dial unix $SOCKTMP; $P dial unix $ABSTRACT"},
		{
			name:   "the person's proxy variables",
			script: "env | grep -E 'name|password' | grep -i proxy && echo PROBE-''SUCCEEDED",
		},
		{name: "another host", script: connect("other.test:443")},
		{name: "another host in plain", script: get("http://other.test/", "Host: other.test")},
		{name: "a name that carries data", script: connect("c2VjcmV0.other.test:443") + "; " +
			get("http://c2VjcmV0.other.test/")},
		{name: "a name below the granted one", script: connect("x." + grantedHost + ":443")},
		{name: "another port of the granted host", script: connect(grantedHost + ":22")},
		{name: "the Host header of the granted one", script: get("http://other.test/", "Host: "+grantedHost)},
		{
			name:   "CONNECT with another Host header",
			script: sendToProxy("CONNECT other.test:443 HTTP/1.1", "Host: "+grantedHost+":443"),
		},
		{name: "the granted host in userinfo", script: connect(grantedHost+":443@other.test:443") + "; " +
			get("http://"+grantedHost+"@other.test/") + "; " + get("http://"+grantedHost+":80@127.0.0.1:$OWN/")},
		{name: "a word for the proxy", script: connect("other.test:443",
			"Proxy-Authorization: Basic Z3JhbnRlZC50ZXN0OngK", "X-Forwarded-Host: "+grantedHost)},
		{name: "origin form with a Host header", script: sendToProxy("GET / HTTP/1.1", "Host: other.test") + "; " +
			sendToProxy("GET / HTTP/1.1", "Host: 127.0.0.1:'$OWN'")},
		{name: "two Host headers", script: sendToProxy("GET http://"+grantedHost+"/ HTTP/1.1", "Host: "+grantedHost,
			"Host: other.test", "Connection: close")},
		{
			name: "a second request to another host",
			script: sendToProxy("GET http://"+grantedHost+"/ HTTP/1.1", "Host: "+grantedHost, "",
				"GET http://other.test/ HTTP/1.1", "Host: other.test", "Connection: close"),
		},
		{
			name: "a request behind a body of two lengths",
			script: sendToProxy("POST http://"+grantedHost+"/ HTTP/1.1", "Host: "+grantedHost, "Content-Length: 4",
				"Transfer-Encoding: chunked", "", "0", "", "GET http://other.test/ HTTP/1.1", "Host: other.test",
				"Connection: close"),
		},
		{name: "a WebSocket elsewhere", script: get("http://other.test/", "Host: other.test", "Upgrade: websocket",
			"Connection: Upgrade", "Sec-WebSocket-Key: x")},
		{name: "h2c", script: get("http://other.test/", "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings",
			"HTTP2-Settings: AAMAAABk") + "; " + sendToProxy("PRI * HTTP/2.0", "", "SM", "")},
		{name: "other schemes", script: get("ftp://other.test/") + "; " + get("gopher://127.0.0.1:$OWN/") + "; " +
			get("file:///etc/passwd") + "; " + get("https://other.test/")},
		{name: "a backslash and a tab", script: get(`http://`+grantedHost+`\\@other.test/`) + "; " +
			get(`http://`+grantedHost+`%%2f@other.test/`)},
		{name: "a redirect of the granted host", script: "curl -sSL http://" + grantedHost +
			"/away; curl -sSL --proxy-insecure http://" + grantedHost + "/away"},
		{
			name: "the tools' own ways past a proxy",
			script: "curl -sS --noproxy '*' http://other.test/; curl -sS --noproxy '*' http://198.41.0.4/; curl -sS " +
				"--connect-to ::127.0.0.1:$OWN http://" + grantedHost + "/; curl -sS --resolve " + grantedHost +
				":80:127.0.0.1 --noproxy '*' http://" + grantedHost + "/",
		},
		{name: "another TLS name in the tunnel", script: "curl -skS --connect-to other.test:443:" + grantedHost +
			":443 https://other.test/ -v"},
		{name: "no port, no host", script: connect("other.test") + "; " + connect(":443") + "; " + connect("*:443") +
			"; " + connect("other.test:0") + "; " + connect("other.test:443:80")},
		{
			name: "the listener's own port",
			script: "$P dial tcp 127.0.0.1:${http_proxy##*:} < /dev/null & sleep 0.2; kill %1; exec " +
				"4<>/dev/tcp/127.0.0.1/${http_proxy##*:}",
		},
	}
	for _, host := range []string{
		"127.0.0.1:$OWN", "localhost:$OWN", "[::1]:$OWN", "[::ffff:127.0.0.1]:$OWN", "2130706433:$OWN", "0x7f.1:$OWN",
		"0:$OWN", "017700000001:$OWN", "127.1:$OWN",
		"10.0.0.1:443", "192.168.1.1:80", "169.254.169.254:80", "[fe80::1]:80", "[fd00::1]:443", "100.64.0.1:443",
		"[64:ff9b::7f00:1]:443", "app.localhost:$OWN", "printer.local:80",
	} {
		all = append(all, probe{
			name:   "inwards to " + host,
			script: strings.ReplaceAll(connect(host)+"; "+get("http://"+host+"/"), "$OWN", `'$OWN'`),
		})
	}
	for host := range inwardHosts {
		all = append(all, probe{name: "a granted name that leads inwards: " + host, script: connect(host+":443") +
			"; " + get("http://"+host+"/")})
	}
	return all
}

func TestProxiedRunReachesOnlyGrantedHosts(t *testing.T) {
	world := newTestWorld(t, visibleBase(t))
	c := world.sandbox()
	if ok, _, reason := c.Available(); !ok || !c.IsolatesNetwork() {
		t.Skipf("runs have no network of their own here: %s", reason)
	}
	t.Setenv("https_proxy", "http://name:password@proxy.example:3128")
	w := newProxyWorld(t, world.token)
	// Control: the granted host is reached.
	for name, script := range map[string]string{
		"curl": "curl -sS http://" + grantedHost + "/",
		"a tunnel": sendToProxy("CONNECT "+grantedHost+":443 HTTP/1.1", "Host: "+grantedHost+":443", "",
			"GET / HTTP/1.1",
			"Host: "+grantedHost, "Connection: close"),
		"python": `python3 -c 'import urllib.request as r; print(r.urlopen("http://` + grantedHost + `/").read())'`,
	} {
		if output := w.run(c, world, script); !strings.Contains(output, "welcome to "+grantedHost) {
			t.Fatalf("%s does not reach the granted host: %s", name, output)
		}
	}
	// Control: with everything granted, these probes reach the canary.
	w.grantAll = os.Getenv(testBaseEnv) == ""
	for _, p := range proxyProbes() {
		if !w.grantAll {
			break
		}
		switch p.name {
		case "another host", "another host in plain", "CONNECT with another Host header",
			"a second request to another host", "a redirect of the granted host":
			w.contacts.Store(0)
			if _ = w.run(c, world, p.script); w.contacts.Load() == 0 {
				t.Errorf("%s proves nothing", p.name)
			}
		}
	}
	w.grantAll = false
	w.canaryBytes.Store(0)
	// Control: the command reaches a server that it starts itself.
	if output := w.run(c, world, `python3 -c '
import http.server,threading,urllib.request as r
s=http.server.HTTPServer(("127.0.0.1",0),type("H",(http.server.BaseHTTPRequestHandler,),{"do_GET":lambda h:(h.send_response(200),h.end_headers(),h.wfile.write(b"its own"))}))
threading.Thread(target=s.handle_request).start()
print(r.urlopen("http://127.0.0.1:%d/"%s.server_port).read())'`); !strings.Contains(output, "its own") {
		t.Errorf("a command does not reach its own server: %s", output)
	}
	ran, out := 0, 0
	for _, p := range proxyProbes() {
		w.contacts.Store(0)
		output := w.run(c, world, p.script)
		ran++
		damage := world.damage(output)
		if w.contacts.Load() > 0 || w.canaryBytes.Load() > 0 {
			damage = append(damage, fmt.Sprintf("%d connections with %d bytes reached hosts that were not granted",
				w.contacts.Load(), w.canaryBytes.Load()))
		}
		if len(damage) > 0 {
			out++
			t.Errorf("%s: %s\noutput: %.600s", p.name, strings.Join(damage, "; "), output)
			world.reset()
		}
		world.cleanWorkspace()
	}
	if ran < 45 {
		t.Errorf("only %d probes", ran)
	}
	if os.Getenv(testBaseEnv) == "" {
		runAsUser(t, t.Name())
	}
	fmt.Printf("proxy probes: %d run, %d succeeded (%s)\n", ran, out, userKind())
}

func TestProxiedRunPrintsRefusal(t *testing.T) {
	world := newTestWorld(t, visibleBase(t))
	c := world.sandbox()
	if !c.IsolatesNetwork() {
		t.Skip("runs have no network of their own here")
	}
	w := newProxyWorld(t, world.token)
	output := w.run(c, world, "curl -sS http://other.test/; curl -sS https://other.test/; echo; env")
	if !strings.Contains(output, "Sextant: other.test was not reached: it was not granted") {
		t.Errorf("output %q", output)
	}
	if len(w.asked) != 2 || w.asked[0] != "other.test" || w.asked[1] != "other.test" {
		t.Errorf("asked for %q", w.asked)
	}
}

func TestProxyNeedsNamespaces(t *testing.T) {
	world := newTestWorld(t, visibleBase(t))
	c := world.sandbox("bubblewrap")
	if ok, _, reason := c.Available(); !ok {
		t.Skip(reason)
	}
	if c.IsolatesNetwork() {
		t.Error("IsolatesNetwork is true")
	}
	_, err := c.Run(context.Background(), Spec{
		Args: []string{"true"}, Workspace: world.ws,
		Proxy: func(net.Listener) func() { t.Error("served"); return func() {} },
	})
	if err == nil {
		t.Error("a run with Proxy started")
	}
}
