package app

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// foreign is a Chromium that somebody else started with a debugging port.
type foreign struct {
	t    *testing.T
	http string
	ws   string
}

func startForeign(t *testing.T) foreign {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on the PATH")
	}
	dir := t.TempDir()
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage",
		"--remote-debugging-port=0", "--user-data-dir="+dir, "data:text/html,<title>Somebody else's</title>")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	deadline := time.Now().Add(30 * time.Second)
	for {
		b, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, path, ok := strings.Cut(strings.TrimSpace(string(b)), "\n")
		if err == nil && ok {
			return foreign{t, "http://127.0.0.1:" + port, "ws://127.0.0.1:" + port + path}
		}
		if time.Now().After(deadline) {
			t.Fatal("the other browser did not start")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// pages lists the addresses of its tabs.
func (f foreign) pages() []string {
	f.t.Helper()
	res, err := http.Get(f.http + "/json/list") //nolint:noctx // a test
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(res.Body)
	var list []struct{ Type, URL string }
	if err := json.Unmarshal(b, &list); err != nil {
		f.t.Fatal(err)
	}
	var urls []string
	for _, target := range list {
		if target.Type == "page" {
			urls = append(urls, target.URL)
		}
	}
	slices.Sort(urls)
	return urls
}

func TestAttachedBrowserGetsASeparateContextBehindOurProxy(t *testing.T) {
	var mu sync.Mutex
	closedHits := 0
	closed := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		closedHits++
		mu.Unlock()
	}))
	defer closed.Close()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>Guest</title><button>Press</button><p id=p></p><script>
			fetch('`+closed.URL+`', {mode: 'no-cors'}).catch(() => {}).then(() => { document.getElementById('p').textContent = 'asked' })</script>`)
	}))
	defer site.Close()
	other := startForeign(t)
	before := other.pages()
	for _, address := range []string{other.http, other.ws} {
		c := speak(t, testFlags(t), "editor", nil, "--browser-url", address, "--allow-hosts",
			strings.TrimPrefix(site.URL, "http://"))
		if tabs := c.does("browser_tabs", nil); strings.Contains(tabs, "Somebody") {
			t.Errorf("%s: another's tab is listed: %s", address, tabs)
		}
		page := c.does("navigate_page", map[string]any{"url": site.URL})
		if !strings.Contains(page, `button "Press"`) || strings.Contains(page, "not enforced") {
			t.Errorf("%s: %s", address, page)
		}
		c.does("wait_for", map[string]any{"text": "asked"})
		c.does("click_element", map[string]any{"annotationId": number(t, page, `button "Press"`)})
		if text, failed := c.call("navigate_page", map[string]any{"url": closed.URL}); !failed ||
			!strings.Contains(text, "allow-hosts") {
			t.Errorf("%s: a closed address: %v %s", address, failed, text)
		}
		if text, failed := c.call("navigate_page", map[string]any{"url": other.http + "/json/version"}); !failed {
			t.Errorf("%s: the debugging port was opened: %s", address, text)
		}
		c.leave()
		if after := other.pages(); !slices.Equal(after, before) {
			t.Errorf("%s: after the client left, the browser has %v, before %v", address, after, before)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if closedHits != 0 {
		t.Errorf("%d requests went past the proxy", closedHits)
	}
}

func TestRemoteBrowserIsReportedAsNotEnforced(t *testing.T) {
	ip := outward()
	if ip == "" {
		t.Skip("this machine has no address but loopback")
	}
	other := startForeign(t)
	ln, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = ln.Close() }()
	local := strings.TrimPrefix(other.http, "http://")
	go forward(ln, local)
	address := strings.Replace(other.ws, local, ln.Addr().String(), 1)
	c := speak(t, testFlags(t), "editor", nil, "--browser-url", address)
	if page := c.does("navigate_page", map[string]any{"url": "about:blank"}); !strings.Contains(page, "not enforced") {
		t.Errorf("not reported: %s", page)
	}
}

// outward is an IPv4 address of this machine that is not loopback, "" for none.
func outward() string {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return ""
}

// forward carries connections of ln to address until ln is closed.
func forward(ln net.Listener, address string) {
	for {
		near, err := ln.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", address) //nolint:noctx // a test
		if err != nil {
			_ = near.Close()
			continue
		}
		go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
	}
}

func TestNamedProfileIsStoredAndATemporaryOneIsNot(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		name := "nobody"
		if c, err := r.Cookie("name"); err == nil {
			name = c.Value
		}
		http.SetCookie(w, &http.Cookie{Name: "name", Value: "ana", MaxAge: 3600})
		_, _ = io.WriteString(w, "<title>Hello "+name+"</title><h1>Hello "+name+"</h1>")
	}))
	defer site.Close()
	flags := testFlags(t)
	visit := func(profile ...string) string {
		c := speak(t, flags, "editor", nil, append([]string{"--headless", "--allow-hosts", "127.0.0.1"}, profile...)...)
		defer c.leave()
		return c.does("navigate_page", map[string]any{"url": site.URL})
	}
	for _, step := range []struct {
		profile []string
		want    string
	}{
		{[]string{"--profile", "work"}, "Hello nobody"},
		{[]string{"--profile", "work"}, "Hello ana"},
		{[]string{"--profile", "home"}, "Hello nobody"},
		{nil, "Hello nobody"},
		{[]string{"--profile", ""}, "Hello nobody"},
		{[]string{"--profile", "work"}, "Hello ana"},
	} {
		if page := visit(step.profile...); !strings.Contains(page, step.want) {
			t.Errorf("%q: %s", step.profile, page)
		}
	}
}
