package requests

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/inflight"
	"sextant/shared/toolspec"
)

func TestRequestLimits(t *testing.T) {
	var open, asked atomic.Int32
	var calls inflight.Registry
	h := &Handler{
		Log: slog.New(slog.DiscardHandler), Calls: &calls,
		Ask: func(context.Context, Elicitation) (Answer, error) {
			if open.Add(1) > 1 {
				t.Error("two questions of one call are open at once")
			}
			defer open.Add(-1)
			asked.Add(1)
			return Answer{Action: ActionDecline}, nil
		},
	}
	ctx, end := calls.Begin(t.Context(), toolspec.Call{})
	defer end()
	var all sync.WaitGroup
	for range 3 * inflight.MaxQuestions {
		all.Go(func() {
			if _, err := h.Elicit(ctx, &sdk.ElicitRequest{Params: &sdk.ElicitParams{
				Message:         "Again?",
				RequestedSchema: json.RawMessage(`{}`),
			}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if asked.Load() != inflight.MaxQuestions {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestLookalikeHostIsShownAsPunycode(t *testing.T) {
	for text, want := range map[string]string{
		"https://\u0430pple.com:8443/x": "xn--pple-43d.com:8443", "https://apple.com/": "apple.com",
		"http://[::1]:80/": "[::1]:80", "http://my_host/": "my_host",
	} {
		t.Run(want, func(t *testing.T) {
			if u, err := ParseAddress(text); err != nil || u.Host != want {
				t.Errorf("%s: %v, %v", text, u, err)
			}
		})
	}
}
