package pages

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testWindow = "http://127.0.0.1:4711"

// startServer starts a Server with two panels, and returns the folder of panels.
func startServer(t *testing.T, grants OriginRules) (*Server, string) {
	t.Helper()
	root := t.TempDir()
	s := New(Config{Source: func(panel string) (Source, bool) {
		return Source{Root: root, Folder: panel, Origins: grants, HiddenFiles: []string{"manifest.json", "server.mjs"}},
			panel == "field-notes" || panel == "other"
	}})
	s.SetWindowOrigin(testWindow)
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, text := range map[string]string{
		"field-notes/index.html": "<!doctype html><title>Notes</title>", "field-notes/app.js": "1",
		"field-notes/data.bin":      "x",
		"field-notes/manifest.json": "{}", "field-notes/server.mjs": "secret", "field-notes/.env": "secret",
		"field-notes/.git/config":    "secret",
		"field-notes/deep/page.html": "<p>deep", "other/index.html": "<p>other", "outside.txt": "outside",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s, root
}

// request sends one request; target is sent unchanged.
func request(t *testing.T, s *Server, method, target, host string, headers ...string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Host())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
	for _, h := range headers {
		request += h + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func pathOf(s *Server, panel, name string) string {
	return strings.TrimPrefix(s.URL(panel, ""), s.Origin()) + name
}

func TestPageHasBridgeAndPolicy(t *testing.T) {
	s, _ := startServer(t, OriginRules{Connect: []string{"https://api.example.com"}})
	base := s.URL("field-notes", "")
	response, body := request(t, s, "GET", pathOf(s, "field-notes", "index.html"), s.Host())
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%s %s", response.Status, response.Header.Get("Content-Type"))
	}
	if want := `<!doctype html><script src="` + strings.TrimPrefix(base, s.Origin()) +
		`.sextant/bridge.js"></script><title>`; !strings.HasPrefix(body, want) {
		t.Errorf("the page begins %q", body)
	}
	csp := response.Header.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "script-src " + base + " 'unsafe-inline'", "connect-src " + base +
			" https://api.example.com;", "frame-src 'none'",
		"worker-src 'none'", "form-action 'none'", "frame-ancestors " + testWindow, "sandbox allow-scripts",
	} {
		if !strings.Contains(csp, want) {
			t.Errorf("%q is not in %s", want, csp)
		}
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Set-Cookie": "", "Access-Control-Allow-Credentials": "",
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	_, script := request(t, s, "GET", pathOf(s, "field-notes", ".sextant/bridge.js"), s.Host())
	if !strings.Contains(script, "start();") {
		t.Error("the bridge is not served")
	}
	if response, _ := request(t, s, "GET", pathOf(s, "field-notes", "data.bin"),
		s.Host()); response.Header.Get("Content-Type") != "application/octet-stream" {
		t.Error("a type was guessed")
	}
}

func TestUnsafeRequestsAreRefused(t *testing.T) {
	s, root := startServer(t, OriginRules{})
	folder := filepath.Join(root, "field-notes")
	for name, target := range map[string]string{
		"out.txt": "../outside.txt", "abs.txt": "/etc/passwd", "folder": "..",
		"ring": "ring",
	} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(root, "outside.txt"), filepath.Join(folder, "hard.txt")); err != nil {
		t.Fatal(err)
	}
	own := pathOf(s, "field-notes", "")
	good := own + "index.html"
	for _, tc := range []struct {
		name, method, target, host string
		headers                    []string
	}{
		{"wrong host", "GET", good, "evil.example:80", nil},
		{"localhost", "GET", good, strings.Replace(s.Host(), "127.0.0.1", "localhost", 1), nil},
		{"post", "POST", good, s.Host(), []string{"Content-Length: 0"}},
		{"preflight", "OPTIONS", good, s.Host(), nil},
		{"service worker", "GET", own + "app.js", s.Host(), []string{"Service-Worker: script"}},
		{"shared worker", "GET", own + "app.js", s.Host(), []string{"Sec-Fetch-Dest: sharedworker"}},
		{"no key", "GET", "/", s.Host(), nil},
		{"wrong key", "GET", "/AAAA/index.html", s.Host(), nil},
		{"folder", "GET", own, s.Host(), nil},
		{"subfolder", "GET", own + "deep", s.Host(), nil},
		{"subfolder with slash", "GET", own + "deep/", s.Host(), nil},
		{"manifest", "GET", own + "manifest.json", s.Host(), nil},
		{"manifest in capitals", "GET", own + "MANIFEST.JSON", s.Host(), nil},
		{"backend", "GET", own + "server.mjs", s.Host(), nil},
		{"escaped backend", "GET", own + "server%2emjs", s.Host(), nil},
		{"hidden file", "GET", own + ".env", s.Host(), nil},
		{"escaped hidden file", "GET", own + "%2eenv", s.Host(), nil},
		{"hidden folder", "GET", own + ".git/config", s.Host(), nil},
		{"dots", "GET", own + "../other/index.html", s.Host(), nil},
		{"escaped dots", "GET", own + "%2e%2e/other/index.html", s.Host(), nil},
		{"escaped slash", "GET", own + "deep%2fpage.html", s.Host(), nil},
		{"backslash", "GET", own + `deep\page.html`, s.Host(), nil},
		{"escaped backslash", "GET", own + "..%5coutside.txt", s.Host(), nil},
		{"two slashes", "GET", own + "/index.html", s.Host(), nil},
		{"NUL", "GET", own + "index.html%00.js", s.Host(), nil},
		{"symlink out", "GET", own + "out.txt", s.Host(), nil},
		{"absolute symlink", "GET", own + "abs.txt", s.Host(), nil},
		{"symlink to parent", "GET", own + "folder/outside.txt", s.Host(), nil},
		{"symlink loop", "GET", own + "ring", s.Host(), nil},
		{"named pipe", "GET", own + "pipe", s.Host(), nil},
		{"hard link", "GET", own + "hard.txt", s.Host(), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			response, body := request(t, s, tc.method, tc.target, tc.host, tc.headers...)
			if response.StatusCode < 400 || strings.Contains(body, "secret") || strings.Contains(body, "outside") {
				t.Errorf("%s: %s", response.Status, body)
			}
			if !strings.Contains(response.Header.Get("Content-Security-Policy"), "sandbox allow-scripts") {
				t.Error("the refusal has no policy")
			}
		})
	}
	if response, _ := request(t, s, "GET", good, s.Host()); response.StatusCode != http.StatusOK {
		t.Errorf("the page itself: %s", response.Status)
	}
	if response, _ := request(t, s, "HEAD", good, s.Host()); response.StatusCode != http.StatusOK {
		t.Errorf("HEAD: %s", response.Status)
	}
}

func TestKeysAreUniquePerPanel(t *testing.T) {
	s, _ := startServer(t, OriginRules{})
	again, _ := startServer(t, OriginRules{})
	first, second := pathOf(s, "field-notes", ""), pathOf(s, "other", "")
	if len(strings.Trim(first, "/")) != 43 || first == second || first == pathOf(again, "field-notes", "") ||
		first != pathOf(s, "field-notes", "") {
		t.Errorf("%s %s", first, second)
	}
	if response, _ := request(t, s, "GET", pathOf(s, "unknown", "index.html"),
		s.Host()); response.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown panel: %s", response.Status)
	}
}

func TestPolicyContainsOnlyOrigins(t *testing.T) {
	bad := []string{
		"*", "https://*", "https:", "'self'", "'unsafe-eval'", "http://api.example.com", "https://127.0.0.1",
		"https://localhost", "data:", "blob:",
		"https://a.example; script-src *", "https://a.example,https://b.example", "https://a.example\r\nX: y",
		"https://a.example/path", "https://A.example",
		"https://user@a.example", "https://a..example", "https://*.*.example", "https://[::1]",
		"https://a.example:99999999", "", "ws://a.example",
	}
	good := "https://*.example.com:8443"
	got := policy("http://127.0.0.1:1/k/", testWindow,
		OriginRules{Connect: append(bad, good), Resource: bad, Frame: bad, Base: bad})
	want := policy("http://127.0.0.1:1/k/", testWindow, OriginRules{Connect: []string{good}})
	if got != want {
		t.Errorf("the policy is %s", got)
	}
}

func FuzzInject(f *testing.F) {
	const tag = `<script src="/k/.sextant/bridge.js"></script>`
	for _, seed := range []string{
		"", "text", "<!doctype html><html><head></head>", "\xEF\xBB\xBF<!DOCTYPE html>x",
		"<!-- <head> --><!doctype html><body>", "<head></head>", "<!doctype",
		"<?xml version='1.0'?><!DOCTYPE html><html>", "<script><!--<head></script>", "<!--", "<html><!doctype html>",
		`<iframe SRCdoc="x">`, "  \n<!doctype html>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, page string) {
		out, err := inject([]byte(page), tag)
		if err != nil {
			return
		}
		if strings.Contains(strings.ToLower(string(out)), "srcdoc") {
			t.Fatalf("a document without the script can be in %q", out)
		}
		page = srcdoc.ReplaceAllString(page, "srcd0c")
		before, after, found := strings.Cut(string(out), tag)
		if !found || before+after != strings.TrimPrefix(page, "\xEF\xBB\xBF") {
			t.Fatalf("%q became %q", page, out)
		}
		if rest := strings.TrimSpace(before); rest != "" && !strings.HasPrefix(rest, "<!") &&
			!strings.HasPrefix(rest, "<?") && !strings.HasPrefix(rest, "</") {
			t.Errorf("something is before the script: %q", before)
		}
	})
}

func TestGrantsAllows(t *testing.T) {
	grants := OriginRules{
		Connect:  []string{"https://api.example.com", "wss://live.example.com:8443", "http://plain.example.com", "*"},
		Resource: []string{"https://*.cdn.example.com:443", "https://127.0.0.1:9"},
	}
	for host, want := range map[string]bool{
		"api.example.com": true, "live.example.com:8443": true, "a.cdn.example.com": true, "a.b.cdn.example.com": true,
		"live.example.com": false, "api.example.com:8443": false, "x.api.example.com": false, "cdn.example.com": false,
		"evilcdn.example.com": false,
		"plain.example.com":   false, "127.0.0.1:9": false, "example.com": false, "": false,
	} {
		t.Run(host, func(t *testing.T) {
			if got := grants.Allows(host); got != want {
				t.Errorf("Allows(%q) = %t", host, got)
			}
		})
	}
}

func TestSingleDocumentIsServedAsEntry(t *testing.T) {
	s := New(Config{Source: func(id string) (Source, bool) {
		return Source{
			Document: []byte("<!doctype html><p>board"),
			Origins:  OriginRules{AllowsEval: true},
		}, id == "app board ui://a"
	}})
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	page := s.URL("app board ui://a", DocumentFile)
	for address, status := range map[string]int{
		page: http.StatusOK,
		strings.TrimSuffix(page, DocumentFile) + "a.js": http.StatusNotFound,
		strings.TrimSuffix(page, DocumentFile):          http.StatusNotFound,
		s.URL("app other ui://a", DocumentFile):         http.StatusNotFound,
	} {
		resp, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s: %d, want %d", address, resp.StatusCode, status)
		}
		csp := resp.Header.Get("Content-Security-Policy")
		if address == page && (!strings.Contains(csp, "'unsafe-eval'") || !strings.Contains(csp, "frame-src 'none'") ||
			!strings.HasSuffix(csp, "sandbox allow-scripts")) {
			t.Errorf("policy %s", csp)
		}
	}
	if strings.Contains(policy("b", "s", OriginRules{}), "unsafe-eval") {
		t.Error("a panel's page may eval")
	}
}
