// Package progress prints the progress of running calls for the command line, one line now and then.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"sextant/app"
	"sextant/backend/api/mcpserver/sharing"
	"sextant/backend/store/eventlog"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

const interval = time.Second

// Lines prints the progress of running calls to w. It prints at most one line per interval and drops the
// others. It is safe for concurrent use.
type Lines struct {
	w io.Writer

	mu   sync.Mutex
	last time.Time
	// out gets the output of commands, nil for nobody. printed is what it got.
	out     io.Writer
	printed strings.Builder
}

// New returns Lines that prints progress to w and the output of commands to out, nil for nowhere.
func New(w, out io.Writer) *Lines { return &Lines{w: w, out: out} }

// Printed returns the output of commands that was printed.
func (p *Lines) Printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.printed.String()
}

// Add prints the newest line of an event.CallChunk that reports progress, or the output of a command.
func (p *Lines) Add(data json.RawMessage) {
	var chunk event.CallChunk
	if json.Unmarshal(data, &chunk) != nil {
		return
	}
	if chunk.Stream != event.StreamProgress {
		p.addOutput(chunk.Text)
		return
	}
	lines := strings.Split(strings.TrimSpace(chunk.Text), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == "" || time.Since(p.last) < interval {
		return
	}
	p.last = time.Now()
	_, _ = fmt.Fprintln(p.w, line)
}

func (p *Lines) addOutput(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out != nil {
		_, _ = io.WriteString(p.out, text)
		p.printed.WriteString(text)
	}
}

// Print prints the progress of a call of sys, and of its steps, until stop is called.
func (p *Lines) Print(sys *app.System, id string) (stop func()) {
	sub := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.CallOutput}}, eventlog.FromNow)
	var reading sync.WaitGroup
	reading.Go(func() {
		for e := range sub.C() {
			if sharing.IsStepOf(e.Call, id) {
				p.Add(e.Data)
			}
		}
	})
	return func() {
		sub.Close()
		reading.Wait()
	}
}

// Follow prints the progress of the first call of tool with args that a stream of events reports, until stop is called.
// stop closes the stream.
func (p *Lines) Follow(stream *websocket.Conn, tool string, args json.RawMessage) (stop func()) {
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
					p.Add(e.Data)
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
