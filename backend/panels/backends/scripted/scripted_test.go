package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/backend/panels/calls"
	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// siteTransport sends every request to a site of the test and records the requested hosts.
type siteTransport struct {
	site  *httptest.Server
	hosts []string
}

func (s *siteTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	s.hosts = append(s.hosts, req.URL.Host)
	to := req.Clone(req.Context())
	to.Host, to.URL.Scheme, to.URL.Host = req.URL.Host, "http", s.site.Listener.Addr().String()
	return s.site.Client().Transport.RoundTrip(to)
}

// newScript returns a scripted panel in temporary folders.
func newScript(t *testing.T, text string, change func(*Config, *Panel)) *Script {
	t.Helper()
	cfg, p := Config{Data: t.TempDir()}, Panel{ID: "notes", Dir: t.TempDir(), File: "backend.js"}
	if change != nil {
		change(&cfg, &p)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, p.File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return New(cfg, p)
}

func answer(t *testing.T, s *Script, tool, args string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	value, _, err := s.Run(ctx, toolspec.Call{Tool: tool}, json.RawMessage(args), func(string, string) {})
	return string(value), err
}

func TestHandlersByToolName(t *testing.T) {
	s := newScript(t, "const twice = (n) => n * 2\nhandlers.notes_twice = async ({ n }) => ({ n: twice(n), size: "+
		"config.size })\n", func(_ *Config, p *Panel) {
		p.Settings = func() (string, error) { return `{"size":3}`, nil }
	})
	if got, err := answer(t, s, "notes_twice", `{"n":21}`); err != nil || got != `{"n":42,"size":3}` {
		t.Errorf("%s %v", got, err)
	}
	if _, err := answer(t, s, "notes_other", `{}`); err == nil ||
		!strings.Contains(err.Error(), "backend.js: it defines no handlers.notes_other") {
		t.Error(err)
	}
	// An edited file takes effect on the next call.
	if err := os.WriteFile(filepath.Join(s.panel.Dir, "backend.js"), []byte("handlers.notes_twice = () => 'new'"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := answer(t, s, "notes_twice", `{}`); err != nil || got != `"new"` {
		t.Errorf("%s %v", got, err)
	}
}

func TestErrorsNameScriptLine(t *testing.T) {
	for text, want := range map[string]string{
		"handlers.x = async () => {\n  const a = 1\n  throw new Error('no paper')\n}": "backend.js, line 3: no paper",
		"handlers.x = async () => {\n  nope()\n}": "backend.js, line 2: " +
			"ReferenceError",
		"handlers.x = () => {\n  const = 1\n}": "backend.js, line 2: " +
			"SyntaxError",
		"handlers.x = async () => {\n}\n}}}}": "backend.js",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := answer(t, newScript(t, text, nil), "x", `{}`)
			var fault *ScriptError
			if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: %v", text, err)
			}
		})
	}
}

func TestStateIsKeptAndBounded(t *testing.T) {
	s := newScript(t, `handlers.add = async ({ text }) => { const all = (await store.get('all')) ?? []; all.push(text); await store.set('all', all); return all.length }
handlers.fill = async () => { await store.set('big', 'x'.repeat(300 * 1024)) }
handlers.keys = () => store.keys()`, nil)
	for i := range 3 {
		if got, err := answer(t, s, "add", `{"text":"x"}`); err != nil || got != fmt.Sprint(i+1) {
			t.Errorf("%s %v", got, err)
		}
	}
	if _, err := answer(t, s, "fill", `{}`); err == nil || !strings.Contains(err.Error(), "256 KB") {
		t.Error(err)
	}
	if got, err := answer(t, s, "keys", `{}`); err != nil || got != `["all"]` {
		t.Errorf("%s %v", got, err)
	}
}

func TestFetchNeedsPermission(t *testing.T) {
	site := &siteTransport{site: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		case "/huge":
			_, _ = w.Write(make([]byte, maxFetched+1))
		default:
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL.Path, r.Header.Get("X-Word"), body)
		}
	}))}
	t.Cleanup(site.site.Close)
	s := newScript(t, `handlers.get = async ({ url, options }) => { const r = await fetch(url, options); return { status: r.status, text: await r.text() } }`, func(c *Config, p *Panel) {
		c.Egress, p.Permissions.Net.List = site, []string{"api.example"}
	})
	got, err := answer(t, s, "get",
		`{"url":"https://api.example/x","options":{"method":"post","headers":{"X-Word":"w"},"body":"b"}}`)
	if err != nil || got != `{"status":200,"text":"POST /x w b"}` {
		t.Errorf("%s %v", got, err)
	}
	if got, err := answer(t, s, "get", `{"url":"https://api.example/away"}`); err != nil ||
		!strings.Contains(got, `"status":302`) {
		t.Errorf("%s %v", got, err)
	}
	for _, args := range []string{
		`{"url":"https://evil.example/"}`, `{"url":"https://api.example.evil.example/"}`,
		`{"url":"https://x.api.example/"}`, `{"url":"http://127.0.0.1:80/"}`,
		`{"url":"file:///etc/passwd"}`, `{"url":"https://api.example@evil.example/"}`,
		`{"url":"https://evil.example\\@api.example/"}`, `{"url":""}`, `{}`,
		`{"url":"https://api.example/","options":{"headers":{"Host":"evil.example"}}}`,
		`{"url":"https://api.example/","options":{"headers":{"Proxy-Authorization":"x"}}}`,
		`{"url":"https://api.example/","options":{"method":"CONNECT"}}`, `{"url":"https://api.example/huge"}`,
	} {
		if got, err := answer(t, s, "get", args); err == nil {
			t.Errorf("%s: %s", args, got)
		}
	}
	if slices.ContainsFunc(site.hosts, func(h string) bool { return h != "api.example" }) {
		t.Errorf("%v", site.hosts)
	}
}

func TestScriptCallsTools(t *testing.T) {
	var asked []calls.Request
	s := newScript(t, `handlers.both = async () => { const a = await tools.read_file({ path: 'a' }); let b; try { await tools.bash({}) } catch (e) { b = e.message } return [a, b] }`, func(c *Config, _ *Panel) {
		c.Call = func(_ context.Context, a calls.Request) toolspec.Result {
			asked = append(asked, a)
			if a.Tool == "bash" {
				return toolspec.Fail(toolspec.PermissionError, "it may not", "Add it.")
			}
			r := toolspec.OK("text")
			r.Sources = []string{"https://shop.example"}
			return r
		}
	})
	call := toolspec.Call{Tool: "both", From: toolspec.Provenance{Conversation: "talk", Outside: []string{"mcp:x"}}}
	value, sources, err := s.Run(t.Context(), call, json.RawMessage(`{}`), func(string, string) {})
	if err != nil || string(value) != `["text","it may not. Add it."]` ||
		!slices.Equal(sources, []string{"https://shop.example"}) {
		t.Errorf("%s %v %v", value, sources, err)
	}
	if len(asked) != 2 || asked[0].Panel != "notes" || asked[1].Parent.Conversation != "talk" ||
		!slices.Equal(asked[1].Parent.Outside, []string{"mcp:x", "https://shop.example"}) {
		t.Errorf("%+v", asked)
	}
}

func TestHostileScriptEnds(t *testing.T) {
	for text, want := range map[string]string{
		`handlers.x = () => { for (;;); }`:                                                "",
		`handlers.x = () => { const a = []; for (;;) a.push(new ArrayBuffer(32 << 20)) }`: "memory",
		`const f = () => f() + 1; handlers.x = f`:                                         "deep",
		`handlers.x = () => new Promise(() => {})`:                                        "never settles",
		`handlers.x = () => 'x'.repeat(5 << 20)`:                                          "bytes of JSON",
		`handlers.x = async () => { for (;;) await store.keys() }`:                        "calls",
		`handlers.x = () => require('fs')`:                                                "ReferenceError",
		`handlers.x = async () => (await import('fs'))`:                                   "",
		`handlers.x = () => __call('tool bash', '{}')`:                                    "ReferenceError",
		`for (;;);`: "",
	} {
		t.Run(text, func(t *testing.T) {
			patience := time.Minute
			if want == "" {
				patience = time.Second // nothing but the call's own end stops it
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			value, _, err := newScript(t, text, nil).Run(ctx, toolspec.Call{Tool: "x"}, json.RawMessage(`{}`),
				func(string, string) {})
			cancel()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %.100s %v", text, value, err)
			}
		})
	}
}

func TestScriptOutsideFolderIsRefused(t *testing.T) {
	away := filepath.Join(t.TempDir(), "away.js")
	if err := os.WriteFile(away, []byte("handlers.x = () => 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(away, filepath.Join(dir, "link.js")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"link.js", "../away.js", away, ".", "none.js"} {
		t.Run(file, func(t *testing.T) {
			s := New(Config{Data: t.TempDir()}, Panel{
				ID: "notes", Dir: dir, File: file,
				Permissions: manifest.Permissions{},
			})
			if got, err := answer(t, s, "x", `{}`); err == nil {
				t.Errorf("%s: %s", file, got)
			}
		})
	}
}
