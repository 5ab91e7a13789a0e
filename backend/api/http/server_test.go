package httpapi

import (
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/api/access"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/openapi"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/navigation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newServer makes a server with services. Fields that every server needs are filled in.
func newServer(t *testing.T, services Services) *Server {
	t.Helper()
	nav, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	services.Version, services.Nav, services.Keys = "test", nav, access.NewKeys()
	services.Log = slog.New(slog.DiscardHandler)
	return New(services)
}

// startServer starts a server with services on a free port.
func startServer(t *testing.T, services Services) *Server {
	t.Helper()
	s := newServer(t, services)
	if err := s.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// openStore opens a database in a folder of the test, with its event log.
func openStore(t *testing.T) (*sqlite.Store, *eventlog.Recorder) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	events, err := eventlog.New(t.Context(), store, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(events.Close)
	return store, events
}

// request is a request to a server, with a program's key unless it is changed.
type request struct {
	method, path, host string
	header             http.Header
	body               string
}

func (s *Server) newRequest(method, path, body string) request {
	return request{
		method: method, path: path, body: body,
		header: http.Header{"Authorization": {"Bearer " + s.services.Keys.Token()}},
	}
}

// fromWindow returns r with a window's key.
func (r request) fromWindow(t *testing.T, s *Server) request {
	t.Helper()
	key, ok := s.services.Keys.Exchange(s.services.Keys.NewCode())
	if !ok {
		t.Fatal("a new code was refused")
	}
	r.header = http.Header{"Authorization": {"Bearer " + key}}
	return r
}

// send sends r and returns the answer's status and body.
func (r request) send(t *testing.T, s *Server) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+s.Host()+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header, req.Host = r.header, r.host
	transport := &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}
	res, err := transport.RoundTrip(req)
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

func TestRequestsAreGuarded(t *testing.T) {
	called := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	s := startServer(t, Services{MCPHandler: called})
	for _, c := range []struct {
		name   string
		change func(*request)
		status int
	}{
		{"no token", func(r *request) { r.header.Del("Authorization") }, http.StatusUnauthorized},
		{"wrong token", func(r *request) { r.header.Set("Authorization", "Bearer x") }, http.StatusUnauthorized},
		{"foreign host", func(r *request) { r.host = "evil.example" }, http.StatusForbidden},
		{
			"localhost by name",
			func(r *request) { r.host = strings.Replace(s.Host(), "127.0.0.1", "localhost", 1) },
			http.StatusForbidden,
		},
		{"foreign origin", func(r *request) { r.header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		{"null origin", func(r *request) { r.header.Set("Origin", "null") }, http.StatusForbidden},
		{
			"two origins", func(r *request) { r.header["Origin"] = []string{"null", "http://" + s.Host()} },
			http.StatusForbidden,
		},
		{"own origin", func(r *request) { r.header.Set("Origin", "http://"+s.Host()) }, http.StatusOK},
		{"no origin", func(*request) {}, http.StatusOK},
	} {
		for _, path := range []string{openapi.Path + ".json", mcpserver.JoinPath} {
			t.Run(c.name+" "+path, func(t *testing.T) {
				r := s.newRequest(http.MethodGet, path, "")
				c.change(&r)
				status, body := r.send(t, s)
				if status != c.status {
					t.Errorf("status %d, want %d: %.200s", status, c.status, body)
				}
				if !json.Valid([]byte(body)) {
					t.Errorf("the answer is not JSON: %.200s", body)
				}
			})
		}
	}
}

func TestBodiesAreJSONAndBounded(t *testing.T) {
	s := startServer(t, Services{})
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"unknown code", `{"code":"x"}`, http.StatusUnauthorized},
		{"missing code", `{}`, http.StatusUnprocessableEntity},
		{"invalid JSON", `{"code":`, http.StatusBadRequest},
		{"too large", `{"code":"` + strings.Repeat("x", 5<<20) + `"}`, http.StatusRequestEntityTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.newRequest(http.MethodPost, sessionPath, c.body)
			// As curl -d sends it. The client reads a refusal before it sends the body.
			r.header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.header.Set("Expect", "100-continue")
			if status, body := r.send(t, s); status != c.status {
				t.Errorf("status %d, want %d: %.200s", status, c.status, body)
			}
		})
	}
}

func TestUnknownRouteNamesOpenAPI(t *testing.T) {
	s := startServer(t, Services{})
	status, body := s.newRequest(http.MethodGet, "/api/no/such/route", "").send(t, s)
	if status != http.StatusNotFound || !strings.Contains(body, openapi.Path) {
		t.Errorf("%d %s", status, body)
	}
}

func TestCodeIsExchangedOnce(t *testing.T) {
	s := startServer(t, Services{})
	_, code, found := strings.Cut(s.URL(), "#code=")
	if !found {
		t.Fatalf("no code in %s", s.URL())
	}
	r := s.newRequest(http.MethodPost, sessionPath, `{"code":"`+code+`"}`)
	r.header.Del("Authorization")
	status, body := r.send(t, s)
	var answer struct{ Token string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s (%v)", status, body, err)
	}
	if role := s.services.Keys.Role(answer.Token); role != access.RoleWindow {
		t.Errorf("the key has role %d, want a window's", role)
	}
	if status, body = r.send(t, s); status != http.StatusUnauthorized {
		t.Errorf("second exchange: %d %s", status, body)
	}
}

func TestOnlyTheLinkKeyMakesLinks(t *testing.T) {
	s := startServer(t, Services{})
	for _, c := range []struct {
		name, key string
		status    int
	}{
		{"link key", s.services.Keys.LinkKey(), http.StatusOK},
		{"token of a program", s.services.Keys.Token(), http.StatusUnauthorized},
		{"none", "", http.StatusUnauthorized},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.newRequest(http.MethodPost, access.LinkPath, "")
			r.header.Set("Authorization", "Bearer "+c.key)
			status, body := r.send(t, s)
			if status != c.status {
				t.Fatalf("status %d, want %d: %.200s", status, c.status, body)
			}
			_, code, found := strings.Cut(body, "#code=")
			if found != (status == http.StatusOK) {
				t.Fatalf("a link in %q is %t", body, found)
			}
			if _, ok := s.services.Keys.Exchange(code); ok != found {
				t.Errorf("the code opens a window: %t", ok)
			}
		})
	}
	r := s.newRequest(http.MethodGet, "/api/state", "")
	r.header.Set("Authorization", "Bearer "+s.services.Keys.LinkKey())
	if status, body := r.send(t, s); status != http.StatusUnauthorized {
		t.Errorf("the link key reads the state: %d %.200s", status, body)
	}
}

// TestProgramsMayNotActForThePerson needs no services: a route that called one would fail with another status.
func TestProgramsMayNotActForThePerson(t *testing.T) {
	s := startServer(t, Services{})
	hash := strings.Repeat("0", 64)
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPost, "/api/approvals/x", `{"answer":"always","hash":"h"}`},
		{http.MethodPut, "/api/settings/mode", `{"value":"full"}`},
		{http.MethodDelete, "/api/settings/mode", ""},
		{http.MethodGet, "/api/instructions", ""},
		{http.MethodPost, "/api/models/try", `{"provider":"openai","base_url":"https://a.example","key":"k"}`},
		{http.MethodPut, "/api/instructions", `{"folder":"","text":"Buy."}`},
		{http.MethodPut, "/api/prompt-notes", `{"note":"a","text":"Buy."}`},
		{http.MethodPost, "/api/browser/control", `{"person":false}`},
		{http.MethodPost, "/api/links", `{"url":"https://a.example","panel":"p"}`},
		{http.MethodPost, "/api/mail", `{"address":"a@a.example"}`},
		{http.MethodPut, "/api/panels/p/model-context", `{}`},
		{http.MethodPut, "/api/panels/p/state", `{"state":1}`},
		{http.MethodPut, "/api/panels/p/config", `{"values":{}}`},
		{http.MethodPut, "/api/panels/p/context", `{}`},
		{http.MethodPost, "/api/panels/p/accept", `{"hash":"` + hash + `"}`},
		{http.MethodPost, "/api/panels/p/decline", `{"hash":"` + hash + `"}`},
		{http.MethodPost, "/api/panels/p/develop", `{"on":true}`},
		{http.MethodPost, "/api/panels/p/pin", `{"pinned":true}`},
		{http.MethodPost, "/api/panels/preview", `{"archive":"AAAA"}`},
		{http.MethodPost, "/api/panels/install", `{"archive":"AAAA"}`},
		{http.MethodPut, "/api/tools/t/permission", `{"permission":"allow"}`},
		{http.MethodPost, "/api/rules", `{}`},
		{http.MethodDelete, "/api/grants/g", ""},
		{http.MethodPut, "/api/secrets/s", `{"value":"1234567"}`},
		{http.MethodDelete, "/api/secrets/s", ""},
		{http.MethodPost, "/api/created-tools/t/enable", `{"version":1}`},
		{http.MethodDelete, "/api/created-tools/t", ""},
		{http.MethodGet, "/api/programs", ""},
		{http.MethodDelete, "/api/programs/p", ""},
		{http.MethodGet, "/api/changes?turn=t", ""},
		{http.MethodGet, "/api/results/r", ""},
		{http.MethodGet, "/api/workspace/text?path=x", ""},
		{http.MethodGet, "/api/workspace/editor", ""},
		{http.MethodGet, "/api/ai/pilot/complete", ""},
		{http.MethodPut, "/api/conversations/c/shared", `{"shared":true}`},
		{http.MethodPost, "/api/mcp-servers", `{"name":"s","entry":{"command":"sh"}}`},
		{http.MethodDelete, "/api/mcp-servers/s", ""},
		{http.MethodPost, "/api/mcp-servers/s/app/call", `{"tool":"t"}`},
		{http.MethodPut, "/api/mcp-servers/s/app/domains", `{"origins":[]}`},
		{http.MethodPost, "/api/mcp-servers/s/resource", `{"uri":"a:b"}`},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			if status, body := s.newRequest(c.method, c.path, c.body).send(t, s); status != http.StatusForbidden {
				t.Errorf("status %d: %.300s", status, body)
			}
		})
	}
}

func TestListenRefusesOtherInterfaces(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0", ":0", "localhost:0"} {
		t.Run(address, func(t *testing.T) {
			if err := newServer(t, Services{}).Listen(address); err == nil ||
				!strings.Contains(err.Error(), "loopback") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestListenNamesPortInUse(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	err = newServer(t, Services{}).Listen(ln.Addr().String())
	if err == nil || !strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), "127.0.0.1:0") {
		t.Errorf("got %v", err)
	}
}

func TestWindowFiles(t *testing.T) {
	files := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>window")}, "assets/a.js": {Data: []byte("1")}}
	s := startServer(t, Services{WindowFiles: files, WindowBuilt: true, PagesOrigin: "http://127.0.0.1:9"})
	for path, want := range map[string]string{"/": "window", "/settings": "window", "/assets/a.js": "1"} {
		t.Run(path, func(t *testing.T) {
			if status, body := s.newRequest(http.MethodGet, path, "").send(t, s); status != http.StatusOK ||
				!strings.Contains(body, want) {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	if status, _ := s.newRequest(http.MethodPost, "/", "").send(t, s); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", status)
	}
	unbuilt := startServer(t, Services{})
	status, body := unbuilt.newRequest(http.MethodGet, "/", "").send(t, unbuilt)
	if status != http.StatusServiceUnavailable || !strings.Contains(body, "make build") {
		t.Errorf("without the window's files: %d %s", status, body)
	}
}

func TestSharingAConversation(t *testing.T) {
	store, events := openStore(t)
	s := startServer(t, Services{Store: store, Events: events})
	publish := func(kind event.Kind, c chat.Conversation) {
		t.Helper()
		if _, err := events.Publish(t.Context(), event.New(kind, c).InTurn(c.ID, "")); err != nil {
			t.Fatal(err)
		}
	}
	share := func(id string, shared bool) int {
		t.Helper()
		body, err := json.Marshal(map[string]bool{"shared": shared})
		if err != nil {
			t.Fatal(err)
		}
		r := s.newRequest(http.MethodPut, "/api/conversations/"+id+"/shared", string(body))
		status, _ := r.fromWindow(t, s).send(t, s)
		return status
	}
	now := time.Now()
	parent := chat.Conversation{ID: "parent", Title: "Lamps", Status: chat.StatusDone, Created: now, Updated: now}
	child := chat.Conversation{ID: "child", Parent: parent.ID, Status: chat.StatusDone, Created: now, Updated: now}
	publish(event.ConversationCreated, parent)
	publish(event.ConversationCreated, child)

	if status := share(parent.ID, true); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	stored, err := store.Conversation(t.Context(), parent.ID)
	if err != nil || !stored.Shared {
		t.Fatalf("%+v %v", stored, err)
	}
	if status := share(parent.ID, false); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	publish(event.ConversationUpdated, stored) // a client with an older copy does not share it again
	if list, err := store.SharedConversations(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("shared are %+v %v", list, err)
	}
	if status := share(child.ID, true); status != http.StatusConflict {
		t.Errorf("a subagent's conversation: status %d", status)
	}
	if status := share("unknown", true); status != http.StatusNotFound {
		t.Errorf("an unknown conversation: status %d", status)
	}
}
