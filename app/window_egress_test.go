package app

import (
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// openWithPage opens a system with one panel that has a page of its own.
func openWithPage(t *testing.T, id, rest string) *System {
	t.Helper()
	flags := testFlags(t)
	dir := filepath.Join(flags["data"], "panels", id)
	put(t, filepath.Join(dir, "index.html"), "<p>x")
	put(t, filepath.Join(dir, "manifest.json"), `{"panel_id": "`+id+`", "panel_type": "x", "title": "X", "tools": [], `+
		rest+`}`)
	return openWith(t, flags, OpenOptions{Serve: true})
}

// TestWindowReachesOnlySextantsOrigins checks that the window's proxy connects to no other host. WebKit uses it for
// what no policy of a page controls.
func TestWindowReachesOnlySextantsOrigins(t *testing.T) {
	t.Chdir(t.TempDir())
	sys := openTest(t, OpenOptions{Serve: true})
	out, err := sys.OpenWindowEgress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Direct) != 2 || out.Direct[0] != sys.Host() || out.Direct[1] != sys.PageServer.Host() {
		t.Errorf("direct are %v", out.Direct)
	}
	canary, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		if conn, err := canary.Accept(); err == nil {
			t.Error("the canary was reached")
			_ = conn.Close()
		}
	}()
	through := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: out.Proxy}), DisableKeepAlives: true}
	for _, to := range []string{"http://" + canary.Addr().String(), "https://" + canary.Addr().String(), "http://" +
		sys.Host() + "/api/state"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := through.RoundTrip(req)
		if err != nil {
			if !strings.Contains(err.Error(), "Forbidden") {
				t.Errorf("%s: the proxy did not refuse it: %v", to, err)
			}
			continue // CONNECT was refused
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", to, resp.Status)
		}
	}
	_ = canary.Close()
	<-heard
}

// TestPagesGrantedHostsPassTheWindowsProxy, and no other host or port.
func TestPagesGrantedHostsPassTheWindowsProxy(t *testing.T) {
	t.Chdir(t.TempDir())
	sys := openWithPage(t, "weather", `"permissions": {"net": ["api.example.com"]},
		"ui": {"kind": "webview", "entry": "index.html", "csp": {"connectDomains": ["https://api.example.com"]}}`)
	may := func(host string) bool { return sys.checkPageHost(t.Context(), host) == nil }
	if !may("api.example.com") || may("evil.example.com") || may("api.example.com:8443") || may("127.0.0.1:80") {
		t.Error("not just the granted host passes")
	}
}

// TestLeavePageOpensTheFirstPanel checks also that a panel without a webview stays active.
func TestLeavePageOpensTheFirstPanel(t *testing.T) {
	t.Chdir(t.TempDir())
	sys := openWithPage(t, "endless", `"ui": {"kind": "webview", "entry": "index.html"}`)
	for panel, want := range map[string]string{"endless": sys.Nav.Panels[0], "files": "files"} {
		t.Run(panel, func(t *testing.T) {
			if err := sys.showPanel(t.Context(), panel); err != nil || sys.Workspace.ActivePanel() != panel {
				t.Fatalf("%s is active: %v", sys.Workspace.ActivePanel(), err)
			}
			sys.LeavePage(t.Context())
			if got := sys.Workspace.ActivePanel(); got != want {
				t.Errorf("after its page ended, %s is active", got)
			}
		})
	}
}
