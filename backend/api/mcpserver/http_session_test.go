package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listeningOptions are the options of a client that keeps a stream of notifications open.
func listeningOptions() *sdk.ClientOptions {
	return &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {}}
}

func TestIdleSessionWithStreamIsEvicted(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			h := startHost(t, func(cfg *Config) { cfg.Changes = make(chan Change) })
			for i := range maxHTTPSessions {
				h.connect(t, fmt.Sprintf("listens %d", i), "", revision, listeningOptions())
				// The server ends a request after its answer was sent. Without this wait a later session can be
				// the one that has been idle for longest.
				eventually(t, "only the stream is open", h.onlyStreamsOpen)
			}
			last := h.connect(t, "one more", "", revision, listeningOptions())
			if r, err := last.CallTool(t.Context(), &sdk.CallToolParams{Name: "annotate_page"}); err != nil ||
				r.IsError {
				t.Errorf("%+v %v", r, err)
			}
			eventually(t, "the oldest session is evicted", func() bool { return h.hasLeft("s0") })
			if n := len(h.host.Clients()); n > maxHTTPSessions {
				t.Errorf("%d clients are connected", n)
			}
		})
	}
}

// onlyStreamsOpen reports whether every client has its stream open and no other request under way.
func (h *testHost) onlyStreamsOpen() bool {
	h.host.mu.Lock()
	defer h.host.mu.Unlock()
	return !slices.ContainsFunc(h.host.httpSessions, func(s *httpSession) bool {
		return s.requests != 1 || s.streams != 1
	})
}

// post sends one request of the revision without sessions.
func (h *testHost) post(t *testing.T, query, id string) (status int, retry string, problem string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":"` + id +
		`","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"` + id + `","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+JoinPath+query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, " +
		"text/event-stream", versionHeader: "2026-07-28", "Mcp-Method": "tools/list"} {
		req.Header.Set(name, value)
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
	var answer struct {
		ID    string
		Error struct{ Message string }
	}
	if res.StatusCode != http.StatusOK {
		if err := json.Unmarshal(b, &answer); err != nil || answer.ID != id {
			t.Errorf("no JSON-RPC error for this request: %v %s", err, b)
		}
	}
	return res.StatusCode, res.Header.Get("Retry-After"), answer.Error.Message
}

func TestBusyHostAnswersRetryAfter(t *testing.T) {
	h := startHost(t, nil)
	for i := range maxHTTPSessions {
		busy := h.startRequest(fmt.Sprint("busy ", i))
		t.Cleanup(func() { busy.endRequest(false) })
	}
	status, retry, problem := h.post(t, "", "late")
	if status != http.StatusServiceUnavailable || retry != "5" || !strings.Contains(problem, "Try again in 5 seconds") {
		t.Errorf("%d %q %q", status, retry, problem)
	}
}

func TestUnknownPanelIsRefused(t *testing.T) {
	h := startHost(t, nil)
	h.host.Check = func(g JoinRequest) error {
		if g.Panel == "nots" {
			return errors.New("there is no panel nots; did you mean notes?")
		}
		return nil
	}
	if status, _, problem := h.post(t, "?panel=nots", "young"); status != http.StatusBadRequest ||
		!strings.Contains(problem, "did you mean notes?") {
		t.Errorf("%d %q", status, problem)
	}
	if status, _, problem := h.post(t, "?panel=notes", "young"); status != http.StatusOK {
		t.Errorf("%d %q", status, problem)
	}
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			transport := &http.Transport{}
			_, err := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(),
				&sdk.StreamableClientTransport{
					Endpoint:   h.URL + JoinPath + "?panel=nots",
					HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1,
				},
				&sdk.ClientSessionOptions{ProtocolVersion: revision})
			transport.CloseIdleConnections()
			if err == nil || !strings.Contains(err.Error(), "did you mean notes?") {
				t.Errorf("%v", err)
			}
		})
	}
	instance := Instance{Host: strings.TrimPrefix(h.URL, "http://"), Token: "t"}
	if err := instance.Check(t.Context(), JoinRequest{Tools: "core", Panel: "nots"}); err == nil ||
		!strings.Contains(err.Error(), "did you mean notes?") {
		t.Errorf("Check: %v", err)
	}
	if err := instance.Check(t.Context(), JoinRequest{Tools: "core", Panel: "notes"}); err != nil {
		t.Errorf("Check: %v", err)
	}
	if _, err := instance.connect(t.Context(), JoinRequest{Client: "c", Tools: "core", Panel: "nots"}); err == nil ||
		!strings.Contains(err.Error(), "did you mean notes?") {
		t.Errorf("connect: %v", err)
	}
}

func TestUnnamedClientIsToldItSharesTabs(t *testing.T) {
	h := startHost(t, nil)
	namesSession := func(query, revision string) bool {
		return strings.Contains(h.connect(t, "editor", query, revision, nil).InitializeResult().Instructions,
			"?session=NAME")
	}
	if !namesSession("", "2026-07-28") || namesSession("?session=one", "2026-07-28") || namesSession("", "2025-11-25") {
		t.Error("the instructions name ?session for the wrong clients")
	}
}

func TestClientIsListedAndDisconnected(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			h := startHost(t, nil)
			c := h.connect(t, "editor", "?panel=notes", revision, nil)
			if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "annotate_page"}); err != nil {
				t.Fatal(err)
			}
			list := h.host.Clients()
			if len(list) != 1 || list[0].Client != "editor" || list[0].Transport != "http" || list[0].Calls != 1 ||
				list[0].Session != "s0" || list[0].Panel != "notes" {
				t.Fatalf("%+v", list)
			}
			if h.host.Disconnect("nobody") || !h.host.Disconnect(list[0].ID) || !h.hasLeft("s0") ||
				len(h.host.Clients()) != 0 {
				t.Errorf("left %v, connected are %+v", h.left, h.host.Clients())
			}
		})
	}
}
