package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// revisions are a revision with sessions and the one without.
var revisions = []string{"2025-11-25", "2026-07-28"}

// testHost is a Host over real HTTP that records its clients.
type testHost struct {
	*httptest.Server
	host  *JoinServer
	calls *pipeline

	mu     sync.Mutex
	joined []JoinRequest
	left   []string
}

// startHost starts a Host whose clients have sessions called s0, s1 and so on.
func startHost(t *testing.T, more func(*Config)) *testHost {
	t.Helper()
	h := &testHost{calls: &pipeline{}}
	h.host = NewJoinServer(func(_ context.Context, g JoinRequest) (Config, func()) {
		h.mu.Lock()
		defer h.mu.Unlock()
		session := "s" + string(rune('0'+len(h.joined)))
		h.joined = append(h.joined, g)
		cfg := Config{
			Tools: &toolList{defs: offeredTools()}, Caller: h.calls, Session: session, Panel: g.Panel,
			Client: g.Client, Version: "test",
		}
		if more != nil {
			more(&cfg)
		}
		return cfg, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.left = append(h.left, session)
		}
	})
	h.Server = httptest.NewServer(h.host)
	t.Cleanup(func() { h.host.Close(); h.Server.Close() })
	return h
}

func (h *testHost) hasLeft(session string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.left, session)
}

// connect connects a client of the official SDK over HTTP.
func (h *testHost) connect(t *testing.T, name, query, revision string, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	transport := &http.Transport{}
	session, err := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, options).Connect(t.Context(),
		&sdk.StreamableClientTransport{
			Endpoint:   h.URL + JoinPath + query,
			HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1,
		},
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close(); transport.CloseIdleConnections() })
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		t.Fatalf("the revision is %s, want %s", got, revision)
	}
	return session
}

func TestHTTPClientsHaveOwnSessions(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			h := startHost(t, nil)
			ada := h.connect(t, "ada", "?tools=all&panel=notes", revision, nil)
			bob := h.connect(t, "bob", "?share=true", revision, nil)
			seen := map[string]string{}
			for _, c := range []*sdk.ClientSession{ada, bob, ada} {
				if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "annotate_page"}); err != nil ||
					r.IsError {
					t.Fatal(r, err)
				}
				call := h.calls.last()
				if was, known := seen[call.From.Client]; known && was != call.From.Session {
					t.Errorf("%s changed its session from %s to %s", call.From.Client, was, call.From.Session)
				}
				seen[call.From.Client] = call.From.Session
			}
			if seen["ada"] == "" || seen["bob"] == "" || seen["ada"] == seen["bob"] {
				t.Errorf("the sessions are %v", seen)
			}
			if h.calls.last().Panel != "notes" {
				t.Errorf("called for the panel %q", h.calls.last().Panel)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			want := []JoinRequest{
				{Tools: "all", Panel: "notes", Unnamed: revision >= sinceStateless},
				{Tools: "core", SharesTabs: true},
			}
			if diff := cmp.Diff(want, h.joined); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCopiesOfAProgramHaveOwnSessions(t *testing.T) {
	h := startHost(t, nil)
	sessions := map[string]bool{}
	for _, c := range []*sdk.ClientSession{
		h.connect(t, "editor", "", "2025-11-25", nil), h.connect(t, "editor", "", "2025-11-25", nil),
		h.connect(t, "editor", "?session=one", "2026-07-28", nil), h.connect(t, "editor", "?session=two", "2026-07-28",
			nil),
	} {
		if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "annotate_page"}); err != nil {
			t.Fatal(err)
		}
		sessions[h.calls.last().From.Session] = true
	}
	if len(sessions) != 4 {
		t.Errorf("four clients have %v", sessions)
	}
}

func TestClosedSessionIsCleanedUp(t *testing.T) {
	h := startHost(t, nil)
	c := h.connect(t, "editor", "", "2025-11-25", nil)
	if _, err := c.ListTools(t.Context(), nil); err != nil || h.hasLeft("s0") {
		t.Fatal(err, h.left)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the client has left", func() bool { return h.hasLeft("s0") })
}

// startRequest begins a request of a client that has sent a valid MCP request before; endRequest ends it.
func (h *testHost) startRequest(key string) *httpSession {
	s := h.host.sessionFor(JoinRequest{Tools: "core"}, key, false)
	s.sawRequest.Store(true)
	return s
}

func TestOldestIdleSessionIsEvicted(t *testing.T) {
	h := startHost(t, nil)
	h.startRequest("first").endRequest(false)
	busy := h.startRequest("busy")
	for i := range maxHTTPSessions - 1 {
		h.startRequest("more " + string(rune('a'+i))).endRequest(false)
	}
	if !h.hasLeft("s0") || h.hasLeft("s1") {
		t.Errorf("left %v", h.left)
	}
	busy.endRequest(false)
}

func TestBusySessionIsNotEvicted(t *testing.T) {
	h := startHost(t, nil)
	c := h.connect(t, "editor", "", "2025-11-25", nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "wait_for"})
		ended <- err
	}()
	eventually(t, "the call runs", func() bool { return h.calls.last().Tool == "wait_for" })
	for i := range maxHTTPSessions {
		h.startRequest("more " + string(rune('a'+i))).endRequest(false)
	}
	if h.hasLeft("s0") || !h.hasLeft("s1") {
		t.Errorf("left %v", h.left)
	}
	cancel()
	<-ended
}

func TestInvalidRequestEvictsNobody(t *testing.T) {
	h := startHost(t, nil)
	for i := range maxHTTPSessions {
		h.startRequest("mine " + string(rune('a'+i))).endRequest(false)
	}
	h.host.sessionFor(JoinRequest{Tools: "core"}, "noise", false).endRequest(false)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.left) != 1 || h.left[0] == "s0" {
		t.Errorf("left %v", h.left)
	}
}

func TestBusyHostAcceptsNoNewClient(t *testing.T) {
	h := startHost(t, nil)
	for i := range maxHTTPSessions {
		busy := h.startRequest("busy " + string(rune('a'+i)))
		t.Cleanup(func() { busy.endRequest(false) })
	}
	if s := h.host.sessionFor(JoinRequest{Tools: "core"}, "one more", false); s != nil {
		t.Error("a new client was accepted")
	}
	if s := h.host.sessionFor(JoinRequest{Tools: "core"}, "busy a", false); s == nil {
		t.Error("a known client was refused")
	} else {
		s.endRequest(false)
	}
}

func TestCloseCancelsCalls(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			h := startHost(t, nil)
			c := h.connect(t, "editor", "", revision, nil)
			ended := make(chan error, 1)
			go func() {
				_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "wait_for"})
				ended <- err
			}()
			eventually(t, "the call runs", func() bool { return h.calls.last().Tool == "wait_for" })
			h.host.Close()
			<-ended // with the error of the call or the connection's
			h.calls.mu.Lock()
			if !h.calls.cancelled {
				t.Errorf("the call was not cancelled")
			}
			h.calls.mu.Unlock()
		})
	}
}

func TestHTTPClientCancelsCall(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			h := startHost(t, nil)
			c := h.connect(t, "editor", "", revision, nil)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "wait_for"})
				ended <- err
			}()
			eventually(t, "the call runs", func() bool { return h.calls.last().Tool == "wait_for" })
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			eventually(t, "the pipeline is cancelled", func() bool {
				h.calls.mu.Lock()
				defer h.calls.mu.Unlock()
				return h.calls.cancelled
			})
		})
	}
}

func TestHTTPClientIsNotifiedOfChanges(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			changed := make(chan Change)
			notified := make(chan string, 1000)
			h := startHost(t, func(cfg *Config) { cfg.Changes, cfg.ReportsPromptChanges = changed, true })
			c := h.connect(t, "editor", "", revision, &sdk.ClientOptions{
				ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { notified <- "tools" },
				ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
					notified <- r.Params.URI
				},
				ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) {
					notified <- "resources"
				},
			})
			if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "sextant://page/elements"}); err != nil {
				t.Fatal(err)
			}
			notifyUntil(t, changed, Change{URI: "sextant://page/elements"}, notified, "sextant://page/elements")
			notifyUntil(t, changed, Change{Tools: true}, notified, "tools")
		})
	}
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	h := startHost(t, nil)
	ask := func(method, query, body string, head ...string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, h.URL+JoinPath+query, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(head); i += 2 {
			req.Header.Set(head[i], head[i+1])
		}
		res, err := h.Client().Do(req)
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
	both := []string{"Accept", "application/json, text/event-stream"}
	for _, c := range []struct {
		name, method, query, body string
		head                      []string
		status                    int
		want                      string
	}{
		{"no accepted type", http.MethodGet, "", "", nil, http.StatusUpgradeRequired, "streamable HTTP"},
		{
			"unknown set of tools", http.MethodPost, "?tools=some", "{}", both, http.StatusBadRequest,
			"core, environment, all",
		},
		{
			"unknown session", http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
			append([]string{sessionHeader, "x"}, both...), http.StatusNotFound, "session not found",
		},
		{
			"unknown revision", http.MethodPost, "",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			append([]string{versionHeader, "2099-01-01", "Mcp-Method", "tools/list"},
				both...), http.StatusBadRequest, "2026-07-28",
		},
		{
			"body too large", http.MethodPost, "", strings.Repeat(" ", maxRequest+1), both,
			http.StatusRequestEntityTooLarge, "4 MB",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, text := ask(c.method, c.query, c.body, c.head...)
			if status != c.status || !strings.Contains(text, c.want) {
				t.Errorf("%d %q", status, text)
			}
		})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.joined) > 1 { // that of the unknown revision
		t.Errorf("%d clients connected", len(h.joined))
	}
}

func TestLongAnswerOverHTTP(t *testing.T) {
	long := strings.Repeat("a line of a page, \"quoted\"\n", 500)
	h := startHost(t, func(cfg *Config) { cfg.Caller = textCaller(long) })
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			r, err := h.connect(t, "editor", "", revision, nil).CallTool(t.Context(),
				&sdk.CallToolParams{Name: "annotate_page"})
			if err != nil || r.Content[0].(*sdk.TextContent).Text != long {
				t.Errorf("%v %v", r, err)
			}
			b, _ := json.Marshal(r.StructuredContent)
			if !bytes.Contains(b, []byte("Shop")) {
				t.Errorf("structured content: %s", b)
			}
		})
	}
}
