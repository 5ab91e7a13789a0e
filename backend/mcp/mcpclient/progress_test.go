package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// progressServer is a real server over HTTP; with stateless it speaks the newest revision, else the older ones.
// Its tool tells of its progress, then waits until it is cancelled where it is asked to, else until that
// was heard.
func progressServer(t *testing.T) (address string, cancelled, heard chan struct{}) {
	t.Helper()
	cancelled, heard = make(chan struct{}, 1), make(chan struct{})
	server := sdk.NewServer(&sdk.Implementation{Name: "worker", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "work", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			for n := range 3 {
				_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
					ProgressToken: req.Params.GetProgressToken(), Progress: float64(n +
						1), Total: 3, Message: "part\n\u202e" + strings.Repeat("x", n),
				})
			}
			if strings.Contains(string(req.Params.Arguments), "wait") {
				<-ctx.Done()
				cancelled <- struct{}{}
			} else {
				<-heard
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "worked"}}}, nil
		})
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() {
		h.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return h.URL, cancelled, heard
}

// outputRecorder collects the output of a call.
type outputRecorder struct {
	mu    sync.Mutex
	lines []string
}

func (o *outputRecorder) out(stream, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, stream+": "+text)
}

func (o *outputRecorder) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines, "")
}

// eachRevision runs test against a server of each protocol revision.
func eachRevision(t *testing.T, test func(t *testing.T, memory KnownServerStore)) {
	for _, era := range []string{statelessRevision, "2025-11-25"} {
		t.Run(era, func(t *testing.T) { test(t, fixedRevision{era}) })
	}
}

// fixedRevision remembers of every server that it speaks this revision.
type fixedRevision struct{ era string }

func (f fixedRevision) KnownServer(context.Context, string) (wire.KnownServer, error) {
	return wire.KnownServer{Revision: f.era, Probed: time.Now()}, nil
}

func (f fixedRevision) SaveKnownServer(context.Context, wire.KnownServer) error { return nil }

func TestProgressInBothRevisions(t *testing.T) {
	eachRevision(t, func(t *testing.T, memory KnownServerStore) {
		address, _, on := progressServer(t)
		s, _, _ := startedWith(t, configText(`"w": {"url": "`+address+`"}`), Config{KnownServers: memory})
		waitForState(t, s, "w", stateReady)
		var heard outputRecorder
		var once sync.Once
		r, err := s.Execute(t.Context(), toolspec.Call{Tool: "w__work"}, toolspec.Definition{Owner: "w"},
			func(stream, text string) {
				heard.out(stream, text)
				once.Do(func() { close(on) })
			})
		if err != nil || !r.Success {
			t.Fatalf("%+v, %v", r, err)
		}
		if got := heard.all(); !strings.HasPrefix(got, "progress: ") || !strings.Contains(got, "% · part") ||
			strings.Contains(got, "\u202e") {
			t.Errorf("heard %q", got)
		}
	})
}

func TestCancellationInBothRevisions(t *testing.T) {
	eachRevision(t, func(t *testing.T, memory KnownServerStore) {
		address, cancelled, _ := progressServer(t)
		s, _, _ := startedWith(t, configText(`"w": {"url": "`+address+`"}`), Config{KnownServers: memory})
		waitForState(t, s, "w", stateReady)
		ctx, cancel := context.WithCancelCause(t.Context())
		var once sync.Once
		r,
			err := s.Execute(ctx, toolspec.Call{Tool: "w__work", Args: json.RawMessage(`{"wait":true}`)},
			toolspec.Definition{Owner: "w"},
			func(string, string) { once.Do(func() { cancel(errors.New("the person")) }) })
		if err != nil || r.Success || !strings.Contains(r.Error, "stopped while") {
			t.Errorf("%+v, %v", r, err)
		}
		select {
		case <-cancelled:
		case <-time.After(30 * time.Second):
			t.Error("the server was never notified")
		}
	})
}
