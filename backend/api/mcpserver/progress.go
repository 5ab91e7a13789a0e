package mcpserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
)

// progress reports regularly, because many clients restart their timeout at each report. After stop returns, it sends
// nothing more.
func (t *toolServer) progress(ctx context.Context, req *sdk.CallToolRequest, call *toolspec.Call) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	var line lastOutput
	quiet := func() {}
	if t.cfg.FollowProgress != nil {
		// The pipeline uses an id that is set, and its output events carry it.
		call.ID = "mcp_" + rand.Text()
		quiet = t.cfg.FollowProgress(call.ID, line.add)
	}
	ctx, cancel := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		tick := time.NewTicker(progressBeat)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			message := line.get()
			if message == "" {
				message = fmt.Sprintf("%s is running, %d s", call.Tool, n)
			}
			err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(n), Message: message,
			})
			if err != nil {
				return
			}
		}
	})
	return func() {
		quiet()
		cancel()
		beating.Wait()
	}
}

type lastOutput struct {
	mu   sync.Mutex
	text string
}

func (l *lastOutput) add(text string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = truncate(strings.TrimSpace(lines[len(lines)-1]), 200)
}

func (l *lastOutput) get() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}
