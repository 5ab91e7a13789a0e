package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/backend/mcp/requests"
	"sextant/shared/toolspec"
)

// askingServer is a real server of the older revisions that asks for the roots, or the model, in a call.
func askingServer(t *testing.T) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "wisher", Version: "1"},
		&sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Logging: &sdk.LoggingCapabilities{}}})
	add := func(name string, do func(ctx context.Context, s *sdk.ServerSession) (string, error)) {
		server.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				text, err := do(ctx, req.Session)
				if err != nil {
					text = "refused: " + err.Error()
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
			})
	}
	add("roots", func(ctx context.Context, s *sdk.ServerSession) (string, error) {
		if s.InitializeParams().Capabilities.RootsV2 == nil {
			return "not offered", nil
		}
		got, err := s.ListRoots(ctx, nil)
		if err != nil {
			return "", err
		}
		return got.Roots[0].URI, nil
	})
	add("model", func(ctx context.Context, s *sdk.ServerSession) (string, error) {
		if s.InitializeParams().Capabilities.Sampling == nil {
			return "not offered", nil
		}
		got, err := s.CreateMessage(ctx, &sdk.CreateMessageParams{
			MaxTokens: 1 << 40, SystemPrompt: "Be brief.", Messages: []*sdk.SamplingMessage{{
				Role:    "user",
				Content: &sdk.TextContent{Text: "Why?"},
			}},
		})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(got.Model, " ", got.Content.(*sdk.TextContent).Text, " ", got.StopReason), nil
	})
	add("picture", func(ctx context.Context, s *sdk.ServerSession) (string, error) {
		_, err := s.CreateMessage(ctx, &sdk.CreateMessageParams{
			MaxTokens: 5,
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.ImageContent{
				MIMEType: "image/png",
				Data:     []byte{1},
			}}},
		})
		return "", err
	})
	add("log", func(ctx context.Context, s *sdk.ServerSession) (string, error) {
		return "", s.Log(ctx, &sdk.LoggingMessageParams{
			Level: "warning", Logger: "db",
			Data: map[string]any{"rows": 3, "note": "\u202e"},
		})
	})
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() {
		h.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return h.URL
}

// callAsking calls one of its tools.
func callAsking(t *testing.T, s *Servers, tool string) string {
	t.Helper()
	r, err := s.Execute(t.Context(), toolspec.Call{ID: "c1", Tool: "w__" + tool}, toolspec.Definition{Owner: "w"}, nil)
	if err != nil || !r.Success {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.ModelText()
}

func TestRootsNeedConsent(t *testing.T) {
	asked, yes := 0, true
	cfg := Config{
		KnownServers: fixedRevision{"2025-11-25"}, Folder: func() string { return "/home/ann/My work" },
		AskRoots: func(_ context.Context, r requests.RootsQuestion) (bool, error) {
			asked++
			if r.Server != "w" || r.Call.ID != "c1" || r.Folder != "/home/ann/My work" {
				t.Errorf("asked about %+v", r)
			}
			return yes, nil
		},
	}
	s, _, path := startedWith(t, configText(`"w": {"url": "`+askingServer(t)+`", "type": "http"}`), cfg)
	waitForState(t, s, "w", stateReady)
	for range 2 {
		if got := callAsking(t, s, "roots"); got != "file:///home/ann/My%20work" {
			t.Errorf("got %q", got)
		}
	}
	s.saving.Wait()
	text, err := os.ReadFile(path)
	if err != nil || asked != 1 || !strings.Contains(string(text), `"type": "http", "roots": true}`) {
		t.Errorf("asked %d times, %s, %v", asked, text, err)
	}
	no := false
	if err := s.SetConsents("w", config.Consents{Roots: &no}); err != nil {
		t.Fatal(err)
	}
	if got := callAsking(t, s, "roots"); !strings.Contains(got, "does not share their folder") || asked != 1 {
		t.Errorf("got %q after %d questions", got, asked)
	}
	if e, err := s.Entry("w"); err != nil || !config.DecidedAs(e.Roots, false) {
		t.Errorf("got %+v, %v", e, err)
	}
	if err := s.Restart("w"); err != nil {
		t.Fatal(err)
	}
	waitForState(t, s, "w", stateReady)
	if got := callAsking(t, s, "roots"); got != "not offered" {
		t.Errorf("got %q", got)
	}
}

// The answer is written into a config in which this very server is another one: it ends, for which its
// question has to have ended.
func TestAnswerAfterEntryChanged(t *testing.T) {
	url, path := askingServer(t), ""
	cfg := Config{
		KnownServers: fixedRevision{"2025-11-25"}, Folder: func() string { return "/work" },
		AskRoots: func(context.Context, requests.RootsQuestion) (bool, error) {
			return true, os.WriteFile(path, []byte(configText(`"w": {"url": "`+url+`", "headers": {"X-Other": "1"}}`)),
				0o600)
		},
	}
	s, _, at := startedWith(t, configText(`"w": {"url": "`+url+`"}`), cfg)
	path = at
	waitForState(t, s, "w", stateReady)
	_, _ = s.Execute(t.Context(), toolspec.Call{ID: "c1", Tool: "w__roots"}, toolspec.Definition{Owner: "w"},
		nil) // cut off or not
	s.saving.Wait()
	waitForState(t, s, "w", stateReady)
	if e, err := s.Entry("w"); err != nil || !config.DecidedAs(e.Roots, true) || e.Headers["X-Other"] != "1" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestSamplingNeedsApproval(t *testing.T) {
	var put requests.SamplingQuestion
	answer, refusal := requests.SamplingAnswer{Text: "Because.", Model: "ann/m", Truncated: true}, error(nil)
	s, _, _ := startedWith(t, configText(`"w": {"url": "`+askingServer(t)+`"}`, `"never": {"url": "`+askingServer(t)+
		`", "sampling": false}`), Config{
		KnownServers: fixedRevision{"2025-11-25"}, Sample: func(_ context.Context,
			q requests.SamplingQuestion,
		) (requests.SamplingAnswer, error) {
			put = q
			return answer, refusal
		},
	})
	waitForState(t, s, "w", stateReady)
	waitForState(t, s, "never", stateReady)
	if got := callAsking(t, s, "model"); got != "ann/m Because. maxTokens" {
		t.Errorf("got %q", got)
	}
	if put.System != "Be brief." || len(put.Messages) != 1 || put.Messages[0].Text != "Why?" || put.MaxTokens != 8192 ||
		put.Call.ID != "c1" || put.Server != "w" {
		t.Errorf("put %+v", put)
	}
	refusal = errors.New("the person declined")
	if got := callAsking(t, s, "model"); !strings.Contains(got, "the person declined") {
		t.Errorf("got %q", got)
	}
	put = requests.SamplingQuestion{}
	if got := callAsking(t, s, "picture"); !strings.Contains(got, "only text") || put.Server != "" {
		t.Errorf("got %q, put %+v", got, put)
	}
	if r := s.Call(t.Context(), "never", "model", nil); r.ModelText() != "not offered" {
		t.Errorf("got %q", r.ModelText())
	}
}

func TestServerLogMessages(t *testing.T) {
	s, _, _ := startedWith(t, configText(`"w": {"url": "`+askingServer(t)+`"}`),
		Config{KnownServers: fixedRevision{"2025-11-25"}})
	waitForState(t, s, "w", stateReady)
	eventually(t, "its log is kept", func() bool {
		callAsking(t, s, "log")
		log, err := s.Log("w")
		return err == nil && strings.Contains(log, `warning db {"note":"`) && !strings.Contains(log, "\u202e")
	})
}
