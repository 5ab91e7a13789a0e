package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/app"
	"sextant/backend/api/mcpserver/sharing"
	"sextant/backend/store/eventlog"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

const progressInterval = time.Second

// progressLines prints the progress of running calls to w. It prints at most one line per progressInterval and drops
// the others. It is safe for concurrent use.
type progressLines struct {
	w io.Writer

	mu   sync.Mutex
	last time.Time
}

func (p *progressLines) add(data json.RawMessage) {
	var chunk event.CallChunk
	if json.Unmarshal(data, &chunk) != nil || chunk.Stream != "progress" {
		return
	}
	lines := strings.Split(strings.TrimSpace(chunk.Text), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == "" || time.Since(p.last) < progressInterval {
		return
	}
	p.last = time.Now()
	_, _ = fmt.Fprintln(p.w, line)
}

func printProgress(sys *app.System, id string, w io.Writer) (stop func()) {
	sub := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.CallOutput}}, eventlog.FromNow)
	progress := &progressLines{w: w}
	var reading sync.WaitGroup
	reading.Go(func() {
		for e := range sub.C() {
			if sharing.IsStepOf(e.Call, id) {
				progress.add(e.Data)
			}
		}
	})
	return func() {
		sub.Close()
		reading.Wait()
	}
}

// If the events cannot be read, nothing is printed; the call does not depend on them.
func (i runningInstance) printProgress(
	ctx context.Context, tool string, args json.RawMessage, w io.Writer,
) (stop func()) {
	stream, err := i.listen(ctx, eventlog.FromNow)
	if err != nil {
		return func() {}
	}
	progress := &progressLines{w: w}
	var reading sync.WaitGroup
	reading.Go(func() {
		ours := ""
		for {
			var e wire.Envelope
			if stream.ReadJSON(&e) != nil {
				return
			}
			switch event.Kind(e.Kind) {
			case event.CallStarted:
				var begun event.CallStart
				if ours == "" && json.Unmarshal(e.Data, &begun) == nil && begun.Tool == tool &&
					begun.Caller == toolspec.CallerHTTP && sameJSON(begun.Args, args) {
					ours = e.Call
				}
			case event.CallOutput:
				if ours != "" && sharing.IsStepOf(e.Call, ours) {
					progress.add(e.Data)
				}
			}
		}
	})
	return func() {
		_ = stream.Close()
		reading.Wait()
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	one, errOne := json.Marshal(x)
	other, errOther := json.Marshal(y)
	return errOne == nil && errOther == nil && slices.Equal(one, other)
}
