package app

import (
	_ "embed"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/backend/api/access"
	"sextant/shared/toolspec"
)

// waysOut is a page that tries every way out of a page that a browser knows, towards the
// host in ?to=; each way asks for a path of its own name there.
//
//go:embed testdata/ways_out.html
var waysOut string

// target is a server that notes what reaches it: connections and the paths asked for.
type target struct {
	*httptest.Server
	mu      sync.Mutex
	conns   int
	reached []string
}

// newTarget listens on address; port 0 is a free one.
func newTarget(t *testing.T, address string) *target {
	t.Helper()
	s := &target{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.reached = append(s.reached, strings.Trim(r.URL.Path, "/"))
		s.mu.Unlock()
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch strings.TrimPrefix(r.URL.Path, "/") {
		case "module", "import", "script", "importscripts", "modulepreload":
			h.Set("Content-Type", "text/javascript")
		case "stylesheet":
			h.Set("Content-Type", "text/css")
		case "eventsource":
			h.Set("Content-Type", "text/event-stream")
		default:
			h.Set("Content-Type", "text/html")
		}
	}))
	if address != "" {
		ln, err := net.Listen("tcp", address)
		if err != nil {
			t.Skipf("this machine cannot listen on %s: %v", address, err)
		}
		_ = s.Listener.Close()
		s.Listener = ln
	}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (t *target) host() string { return t.Listener.Addr().String() }

func (t *target) seen() (conns int, paths []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	paths = slices.Clone(t.reached)
	slices.Sort(paths)
	return t.conns, slices.Compact(paths)
}

// prober serves the page of ways and redirects, and notes which ways were begun.
func prober(t *testing.T) (*httptest.Server, func() string) {
	t.Helper()
	var mu sync.Mutex
	said := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ways":
			w.Header().Set("Content-Type", "text/html")
			// The address of a report is a way out too.
			w.Header().Set("Content-Security-Policy-Report-Only", "img-src 'none'; report-uri http://"+
				r.URL.Query().Get("to")+"/csp-report")
			_, _ = io.WriteString(w, waysOut)
		case "/redirect":
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		case "/worker.js", "/shared.js", "/service.js", "/nested.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, workerScript(strings.TrimSuffix(r.URL.Path[1:], ".js"), r.URL.Query().Get("to")))
		case "/done":
			b, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
			mu.Lock()
			said = string(b)
			mu.Unlock()
		default:
			w.Header().Set("Content-Type", "text/html")
		}
	}))
	t.Cleanup(s.Close)
	return s, func() string {
		mu.Lock()
		defer mu.Unlock()
		return said
	}
}

// workerScript tries the ways a worker of a kind has.
func workerScript(kind, to string) string {
	begin := ""
	if kind == "service" {
		begin = "self.addEventListener('install', () => self.skipWaiting());"
	}
	script := fmt.Sprintf(`%s
const to = %q;
fetch('http://' + to + '/%s-fetch', {mode: 'no-cors'}).catch(() => {});
try { new WebSocket('ws://' + to + '/%s-websocket') } catch (e) {}
`, begin, to, kind, kind)
	if kind == "worker" {
		script += "try { importScripts('http://' + to + '/importscripts') } catch (e) {}\n" +
			"new Worker('/nested.js?to=' + to);\n"
	}
	return script
}

// listenUDP counts datagrams on the port of a server.
func listenUDP(t *testing.T, host string) func() int {
	t.Helper()
	conn, err := net.ListenPacket("udp", host)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	count := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 2048)
		for {
			if _, _, err := conn.ReadFrom(b); err != nil {
				return
			}
			mu.Lock()
			count++
			mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return count
	}
}

// tryAll opens the page of ways towards to, presses its links and waits until it has tried all.
func tryAll(t *testing.T, c *client, site *httptest.Server, done func() string, to string) string {
	t.Helper()
	if r := c.execute("navigate_page", map[string]string{"url": site.URL + "/ways?to=" + to}); !r.Success {
		t.Fatal(r.Error)
	}
	press := func(name string) {
		r := c.execute("annotate_page", map[string]string{"query": name, "scope": "page"})
		text, _ := r.Value.(map[string]any)["text"].(string)
		if r := c.execute("click_element", map[string]any{"annotationId": number(t, text, `"`+name+`"`)}); !r.Success {
			t.Errorf("%s: %s", name, r.Error)
		}
		c.execute("browser_tabs", map[string]any{"action": "select", "tab": firstTab(t, c)})
	}
	for _, name := range []string{"Popup", "Ping", "Post"} {
		press(name)
	}
	if r := c.execute("wait_for", map[string]any{"text": "All tried", "seconds": 30}); !r.Success {
		t.Fatal(r.Error)
	}
	press("Download") // leaves the page where there is none
	return done()
}

// firstTab is the number of the oldest tab.
func firstTab(t *testing.T, c *client) int {
	t.Helper()
	r := c.execute("browser_tabs", map[string]any{"action": "list"})
	tabs, _ := r.Value.(map[string]any)["tabs"].([]any)
	if len(tabs) == 0 {
		t.Fatalf("no tabs: %+v", r)
	}
	return int(tabs[0].(map[string]any)["id"].(float64))
}

// controls are ways that must reach a server that is allowed, or the page tries nothing.
func controls() []string {
	return strings.Fields(
		`img srcset script stylesheet iframe object embed video audio fetch xhr beacon eventsource websocket
		form-get form-post meta-refresh location redirect-img redirect-frame redirect-fetch worker-fetch worker-websocket
		importscripts nested-fetch nested-websocket shared-fetch shared-websocket service-fetch css-import css-url font preload
		module import svg-image track input-image poster link-popup post post-frame keepalive csp-report`,
	)
}

func TestNoPageReachesAForbiddenHost(t *testing.T) {
	site, done := prober(t)
	open, closed := newTarget(t, ""), newTarget(t, "")
	flags := testFlags(t)
	flags["allow_hosts"] = strings.TrimPrefix(site.URL, "http://") + "," + open.host()
	sys := openWith(t, flags, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	datagrams := listenUDP(t, closed.host())

	tryAll(t, c, site, done, open.host())
	_, reached := open.seen()
	for _, way := range controls() {
		if !slices.Contains(reached, way) {
			t.Errorf("an allowed server was not reached by %s", way)
		}
	}
	if len(reached) < 25 {
		t.Errorf("only %d ways work at all: %v", len(reached), reached)
	}

	tried := tryAll(t, c, site, done, closed.host())
	if !strings.Contains(tried, "webrtc") || !strings.Contains(tried, "webtransport") {
		t.Errorf("the page tried only %s", tried)
	}
	if conns, paths := closed.seen(); conns != 0 {
		t.Errorf("%d connections reached a closed server: %v", conns, paths)
	}
	if n := datagrams(); n != 0 {
		t.Errorf("%d datagrams reached a closed port", n)
	}
	t.Logf("%d ways reach an allowed server; none of them a closed one", len(reached))
}

func TestPageCannotReachSextantsPortUnderAnyName(t *testing.T) {
	site, _ := prober(t)
	flags := testFlags(t)
	// The widest that a person can open.
	flags["allow_hosts"] = "127.0.0.1,localhost,0.0.0.0,[::1],[::ffff:127.0.0.1],app.localhost,127.0.0.2"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	_, port, _ := net.SplitHostPort(sys.Host())
	own := func(host string) string { return "http://" + host + ":" + port + "/api/proof?nonce=" + ownNonce }
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "app.localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]", "127.1",
		"127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.0.0.2", "①27.0.0.1", "0",
	} {
		r := c.execute("navigate_page", map[string]string{"url": own(host)})
		if r.Success || r.ErrorType != toolspec.PermissionError && r.ErrorType != toolspec.ValidationError &&
			r.ErrorType != toolspec.SecurityError {
			t.Errorf("%s: %+v", host, r)
		}
		// A page that is open may be sent there, or ask there.
		c.execute("navigate_page", map[string]string{"url": site.URL + "/redirect?to=" + url.QueryEscape(own(host))})
		got := c.execute("get_page_content", map[string]string{})
		if text := fmt.Sprint(got.Value); !got.Success || strings.Contains(text, proofOf(sys)) ||
			!strings.Contains(text, "blocked") && !strings.Contains(text, "reached") {
			t.Errorf("a page was sent to our own server as %s: %+v", host, got)
		}
	}
}

// proofOf is what our own server answers, so what no page may ever show.
func proofOf(sys *System) string { return access.Proof(sys.Token(), ownNonce) }

const ownNonce = "0123456789abcdef"

func TestFileAndChromeAddressesAreNeverShown(t *testing.T) {
	secret := t.TempDir() + "/secret.html"
	if err := os.WriteFile(secret, []byte("<title>Secret file</title>"), 0o600); err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := r.URL.Query().Get("to")
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/redirect":
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		case "/refresh":
			_, _ = fmt.Fprintf(w, `<title>Start</title><meta http-equiv=refresh content="0;url=%s">`, to)
		default:
			_, _ = fmt.Fprintf(w, `<title>Start</title><a href="%s">Link</a> <a href="%s" target=_blank>Blank</a>
				<button onclick="open('%s')">Open</button><button onclick="location='%s'">Go</button>`, to, to, to, to)
		}
	}))
	t.Cleanup(site.Close)
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	for _, to := range []string{"file://" + secret, "chrome://version", "chrome://settings", "view-source:file://" +
		secret, "devtools://devtools/bundled/inspector.html"} {
		if r := c.execute("navigate_page", map[string]string{"url": to}); r.Success {
			t.Errorf("%s was opened: %+v", to, r)
		}
		for _, way := range []string{"/redirect", "/refresh"} {
			c.execute("navigate_page", map[string]string{"url": site.URL + way + "?to=" + url.QueryEscape(to)})
			notShown(t, sys, to+" by "+way)
		}
		for _, name := range []string{"Link", "Blank", "Open", "Go"} {
			c.execute("navigate_page", map[string]string{"url": site.URL + "/start?to=" + url.QueryEscape(to)})
			r := c.execute("annotate_page", map[string]string{"query": name})
			text, _ := r.Value.(map[string]any)["text"].(string)
			c.execute("click_element", map[string]any{"annotationId": number(t, text, `"`+name+`"`)})
			notShown(t, sys, to+" by "+name)
		}
	}
}

// notShown waits a moment for a tab that shows what it may not, or leaves it.
func notShown(t *testing.T, sys *System, how string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		bad := ""
		for _, tab := range sys.Browser.State().Tabs {
			if scheme, _, _ := strings.Cut(tab.URL,
				":"); !slices.Contains([]string{"http", "about", "chrome-error", ""}, scheme) {
				bad = tab.URL + " " + tab.Title
			}
		}
		if bad == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: a tab shows %s", how, bad)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
