package mcpclient

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestConfigIsWatched(t *testing.T) {
	s, _, path := started(t, "")
	if len(s.List()) != 0 || s.Problem() != "" {
		t.Fatalf("got %v, %q", s.List(), s.Problem())
	}
	write(t, path, configText(`"My Tester": `+stdio(t, "good", "")))
	waitForState(t, s, "My Tester", stateReady)
	first := pid(t, s)
	write(t, path, configText(`"My Tester": `+stdio(t, "good", ""), `"other": `+stdio(t, "good", "")))
	waitForState(t, s, "other", stateReady)
	if pid(t, s) != first {
		t.Error("a server that did not change was started again")
	}
	write(t, path, configText(`"other": `+stdio(t, "good", "")))
	eventually(t, "the removed server is gone", func() bool { return find(s, "My Tester").Name == "" })
	eventually(t, "its process is gone", func() bool { return !alive(first) })
}

func TestInvalidConfigKeepsLastGoodOne(t *testing.T) {
	good := configText(`"My Tester": ` + stdio(t, "good", ""))
	s, j, path := started(t, good)
	waitForState(t, s, "My Tester", stateReady)
	for text, want := range map[string]string{
		"{\n  \"mcpServers\": {,}\n}": "mcp-config.json: not valid JSON at 2:18",
		`{"mcpServers": []}`:          "the file should be",
		strings.Repeat(" ", 1<<20+1):  "larger than 1 MB",
	} {
		t.Run(want, func(t *testing.T) {
			write(t, path, text)
			eventually(t, want, func() bool { return strings.Contains(s.Problem(), want) })
			if !strings.HasSuffix(s.Problem(), "The last good config stays in effect.") ||
				find(s, "My Tester").State != stateReady {
				t.Errorf("got %q, %+v", s.Problem(), find(s, "My Tester"))
			}
		})
	}
	write(t, path, good)
	eventually(t, "the problem is over", func() bool { return s.Problem() == "" })
	eventually(t, "the problems are published", func() bool { return j.count(event.MCPChanged) >= 5 })
	if r := call(t, s, "my_tester__echo_text_f2e88feb", `{}`); !r.Success {
		t.Errorf("got %+v", r)
	}
}

func TestToggleServer(t *testing.T) {
	text := "{\n  \"note\": \"mine\",\n  \"mcpServers\": {\n    \"My Tester\": {\n      \"x-own\": [1,  2],\n" +
		strings.Replace(strings.TrimPrefix(stdio(t, "good", ""), "{"), "}}", "}\n    }", 1) + "\n  }\n}\n"
	s, _, path := started(t, text)
	waitForState(t, s, "My Tester", stateReady)
	n := pid(t, s)
	if err := s.SetEnabled(t.Context(), "My Tester", false); err != nil {
		t.Fatal(err)
	}
	if v := find(s, "My Tester"); v.State != stateOff || v.Enabled || alive(n) || len(s.Definitions("")) != 0 {
		t.Errorf("got %+v", v)
	}
	mustFail(t, s.Call(t.Context(), "My Tester", "env", nil), toolspec.UserError, "is switched off", "Switch it on")
	kept, err := os.ReadFile(path)
	if err != nil || strings.Replace(string(kept), `, "disabled": true`, "", 1) != text {
		t.Errorf("the file is now %s, %v", kept, err)
	}
	if err := s.SetEnabled(t.Context(), "My Tester", true); err != nil {
		t.Fatal(err)
	}
	waitForState(t, s, "My Tester", stateReady)
	if kept, _ = os.ReadFile(path); !strings.Contains(string(kept), `"disabled": false`) {
		t.Errorf("the file is now %s", kept)
	}
	if err := s.SetEnabled(t.Context(), "nobody", true); !errors.Is(err, config.ErrUnknownServer) {
		t.Errorf("got %v", err)
	}
}

// remote is a real MCP server over HTTP that wants a key.
func remote(t *testing.T) (*httptest.Server, *atomic.Bool) {
	t.Helper()
	server := testServer()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	broken := &atomic.Bool{}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch {
		case broken.Load():
			w.WriteHeader(http.StatusBadGateway)
		case req.Header.Get("Authorization") != "Bearer k":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			handler.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(func() {
		h.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return h, broken
}

func TestRemoteServerHeaders(t *testing.T) {
	h, broken := remote(t)
	s, _, _ := started(t, configText(
		`"far": {"type": "http", "url": "`+h.URL+`/mcp", "headers": {"Authorization": "Bearer k"}}`,
		`"keyless": {"url": "`+h.URL+`/mcp"}`,
	))
	v := waitForState(t, s, "far", stateReady)
	if v.Transport != "http" || v.Command != h.URL+"/mcp" {
		t.Errorf("got %+v", v)
	}
	if r := call(t, s, "far__echo_text_81127a12", `{"text":"hi"}`); r.Value != "hi" {
		t.Errorf("got %+v", r)
	}
	for _, d := range s.Definitions("") {
		if !d.Hints.OpenWorld {
			t.Errorf("%s claims to stay at home", d.Name)
		}
	}
	d := s.Describe(toolspec.Call{Tool: "far__echo_text_f2e88feb", Args: []byte(`{"text":"hi"}`)})
	if len(d.Hosts) != 1 || "http://"+d.Hosts[0] != h.URL || d.Data != `{"text":"hi"}` || d.Target != h.URL+"/mcp" {
		t.Errorf("got %+v", d)
	}
	if v := waitForState(t, s, "keyless", stateDown); !strings.Contains(v.Error, "401") &&
		!strings.Contains(v.Error, "Unauthorized") {
		t.Errorf("got %+v", v)
	}
	broken.Store(true)
	if r := call(t, s, "far__echo_text_f2e88feb", `{}`); r.Success || r.ErrorType != toolspec.SystemError {
		t.Errorf("got %+v", r)
	}
	waitForState(t, s, "far", stateDown)
	broken.Store(false)
	waitForState(t, s, "far", stateReady)
	s.Close()
}

func TestRemoteServerRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the other " +
			"host was asked")
	}))
	defer elsewhere.Close()
	h := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer h.Close()
	s, _, _ := started(t, configText(`"far": {"url": "`+h.URL+`", "headers": {"Authorization": "Bearer k"}}`))
	if v := waitForState(t, s, "far", stateDown); !strings.Contains(v.Error, "which the config does not name") {
		t.Errorf("got %+v", v)
	}
	s.Close()
}

func TestToggleHangingServer(t *testing.T) {
	s, _, _ := started(t, configText(`"mute": `+stdio(t, "mute", "")))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.SetEnabled(ctx, "mute", false) }()
	select {
	case err := <-done:
		if err != nil || find(s, "mute").State != stateOff {
			t.Errorf("got %v, %+v", err, find(s, "mute"))
		}
	case <-ctx.Done():
		t.Fatal("it hangs")
	}
}

func TestRemoveDeletesSignInWithTheLastServerOfAnAddress(t *testing.T) {
	store := tokens{}
	entry := `{"url": "http://127.0.0.1:1/mcp", "disabled": true}`
	s, _, _ := startedWith(t, configText(`"one": `+entry, `"two": `+entry), Config{Store: store})
	if err := s.Remove("one"); err != nil || len(store) != 0 {
		t.Errorf("the sign-in of the other server: %v deleted, %v", store, err)
	}
	if err := s.Remove("two"); err != nil || len(store) == 0 {
		t.Errorf("the sign-in is still there: %v deleted, %v", store, err)
	}
}

// tokens is a store that has every key and records those that are deleted.
type tokens map[string]bool

func (s tokens) Key(name string) (string, bool) { return "token", !s[name] }

func (s tokens) SetKey(name, value string) error {
	if value == "" {
		s[name] = true
	}
	return nil
}
