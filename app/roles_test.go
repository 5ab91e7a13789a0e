package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// windowOf is a client with a window's key: the person.
func windowOf(t *testing.T, sys *System) *client {
	t.Helper()
	c := clientOf(t, sys)
	_, code, _ := strings.Cut(sys.URL(), "#code=")
	status, body := c.do(http.MethodPost, "/api/session", map[string]string{"code": code})
	var key struct{ Token string }
	if err := json.Unmarshal(body, &key); err != nil || status != http.StatusOK {
		t.Fatalf("session: status %d: %s (%v)", status, body, err)
	}
	c.head.Set("Authorization", "Bearer "+key.Token)
	return c
}

func TestProgramsTokenDoesNotGiveAPersonsRights(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	program := clientOf(t, sys)
	program.head.Set("Origin", "http://"+sys.Host())
	for _, tc := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/api/approvals/x", map[string]string{"answer": "always", "hash": "h"}},
		{http.MethodPut, "/api/settings/mode", map[string]string{"value": "full"}},
		{http.MethodPut, "/api/settings/openai_base_url", map[string]string{"value": "https://evil.example"}},
		{http.MethodPost, "/api/browser/control", map[string]bool{"person": false}},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			if status, body := program.do(tc.method, tc.path, tc.body); status != http.StatusForbidden {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
	r := program.execute("navigate_page", map[string]string{"url": "http://127.0.0.1:5432/"})
	if r.Success || r.ErrorType != toolspec.PermissionError && r.ErrorType != toolspec.SecurityError {
		t.Errorf("a program's address counted as typed: %+v", r)
	}
}

// dial opens the event stream and sends the first message.
func dial(t *testing.T, sys *System, key string) *websocket.Conn {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.Dial("ws://"+sys.Host()+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.WriteJSON(wire.ClientMessage{V: wire.Version, Kind: "hello", Token: key}); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// until reads messages until one of kind comes.
func until(t *testing.T, conn *websocket.Conn, kind string) wire.Envelope {
	t.Helper()
	for {
		var m wire.Envelope
		if err := conn.ReadJSON(&m); err != nil {
			t.Fatalf("waiting for %s: %v", kind, err)
		}
		if m.Kind == kind {
			return m
		}
	}
}

func TestWebSocketRefusesAWrongKeyAndAProgramsInput(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	m := until(t, dial(t, sys, "nonsense"), "error")
	if !strings.Contains(string(m.Data), "token") {
		t.Errorf("a wrong key was answered with %s", m.Data)
	}
	program := dial(t, sys, sys.Token())
	until(t, program, "hello")
	if sys.hub.HasWindow() {
		t.Error("a program counts as a window that can be asked")
	}
	if err := program.WriteJSON(wire.ClientMessage{
		V: wire.Version, Kind: "input",
		Input: &wire.Input{Type: "down"},
	}); err != nil {
		t.Fatal(err)
	}
	if m := until(t, program, "error"); !strings.Contains(string(m.Data), "window") {
		t.Errorf("a program's hand was answered with %s", m.Data)
	}
	key := strings.TrimPrefix(windowOf(t, sys).head.Get("Authorization"), "Bearer ")
	until(t, dial(t, sys, key), "hello")
	if !sys.hub.HasWindow() {
		t.Error("a window does not count as one")
	}
}
