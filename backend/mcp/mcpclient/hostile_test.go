package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/backend/mcp/servertext"
	"sextant/shared/toolspec"
)

func TestHTTPAnswerIsBounded(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			var sent atomic.Int64
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				piece := []byte(strings.Repeat(" ", 1<<20))
				for range 4 * maxMessage >> 20 {
					n, err := w.Write(piece)
					if sent.Add(int64(n)); err != nil {
						return
					}
				}
			}))
			t.Cleanup(h.Close)
			way := &serverTransport{
				next:   h.Client().Transport,
				scheme: "http",
				host:   strings.TrimPrefix(h.URL, "http://"),
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := way.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if err == nil || n != maxMessage || !strings.Contains(err.Error(), "longer than 16 MB") {
				t.Errorf("%d: read %d bytes, %v", status, n, err)
			}
			s, _, _ := started(t, configText(`"far": {"url": "`+h.URL+`"}`))
			waitForState(t, s, "far", stateDown)
		})
	}
}

func TestServerErrorIsCutAndEscaped(t *testing.T) {
	got := servertext.Sentence("äh: \x1b[2J\u202e" + strings.Repeat("x\n", 4000))
	if !strings.HasPrefix(got, `Äh: \u001b[2J\u202ex x`) || len(got) > 4*servertext.MaxSentence {
		t.Errorf("got %q", got)
	}
	s := New(Config{})
	v := newServer(s, "a", "a", config.Entry{URL: "http://x"}, "")
	v.checked(errors.New("\x1b[2J" + strings.Repeat("y", 4000)))
	_ = v.sessionEnded(&connection{}, errors.New("\x1b[2J"+strings.Repeat("z", 4000)))
	if shown := v.view().Error; len(shown) > 2*servertext.MaxSentence || strings.Contains(shown, "\x1b") ||
		!strings.Contains(shown, "zzz") {
		t.Errorf("the card says %q", shown)
	}
}

func TestStopServerDuringCall(t *testing.T) {
	server, url := namedServer(t)
	begun := make(chan struct{})
	release := make(chan struct{})
	server.AddTool(&sdk.Tool{Name: "hang", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			close(begun)
			<-release
			return &sdk.CallToolResult{}, nil
		})
	t.Cleanup(func() { close(release) })
	s, _, _ := started(t, configText(`"srv": {"url": "`+url+`"}`))
	waitForState(t, s, "srv", stateReady)
	answer := make(chan toolspec.Result, 1)
	go func() { answer <- s.Call(context.WithoutCancel(t.Context()), "srv", "hang", nil) }()
	<-begun
	// The tool answers only after this: a stop that waits for it never comes back.
	if err := s.SetEnabled(t.Context(), "srv", false); err != nil {
		t.Fatal(err)
	}
	mustFail(t, <-answer, toolspec.SystemError, "was stopped during hang; whether it took effect is unknown",
		"switched on")
	if find(s, "srv").State != stateOff {
		t.Errorf("got %+v", find(s, "srv"))
	}
}
