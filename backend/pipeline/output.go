package pipeline

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// outputPause is the time for which output is collected before it is published. At most maxOutput bytes of a call are
// published.
const (
	outputPause = 50 * time.Millisecond
	maxOutput   = 1 << 20
)

type output struct {
	p    *Pipeline
	call *callState
	ctx  context.Context

	mu      sync.Mutex
	stream  event.Stream
	text    strings.Builder
	ready   []event.CallChunk
	written int
	full    bool
	closed  bool

	wake chan struct{}
	end  chan struct{}
	done sync.WaitGroup
}

func (p *Pipeline) newOutput(ctx context.Context, c *callState) *output {
	o := &output{p: p, call: c, ctx: ctx, wake: make(chan struct{}, 1), end: make(chan struct{})}
	o.done.Go(o.flushing)
	return o
}

func (o *output) write(stream, text string) {
	if text == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.full {
		return
	}
	if event.Stream(stream) != o.stream {
		o.cut()
		o.stream = event.Stream(stream)
	}
	if left := maxOutput - o.written; len(text) > left {
		text = strings.ToValidUTF8(text[:left], "")
		o.full = true
	}
	o.written += len(text)
	o.text.WriteString(text)
	if o.full {
		o.cut()
		o.ready = append(o.ready, event.CallChunk{
			Stream: event.StreamProgress, Text: fmt.Sprintf("… more than %d KB; the rest is not shown here\n",
				maxOutput>>10),
		})
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// cut moves the collected text to ready. It keeps back an incomplete character, and text that may be the start of a
// secret, unless no more text is accepted. The caller must hold the lock.
func (o *output) cut() {
	text := o.text.String()
	o.text.Reset()
	partial := len(text) - excerpt.PrefixLen(text, len(text))
	if n := max(partial, o.p.cfg.Secrets.PendingSuffix(text)); n > 0 && !o.closed && !o.full {
		o.text.WriteString(text[len(text)-n:])
		text = text[:len(text)-n]
	}
	text = o.p.cfg.Secrets.Mask(text)
	if text != "" {
		o.ready = append(o.ready, event.CallChunk{Stream: o.stream, Text: strings.ToValidUTF8(text, "\uFFFD")})
	}
}

// flushing publishes the ready text, at most once per outputPause.
func (o *output) flushing() {
	for {
		select {
		case <-o.wake:
		case <-o.end:
			o.flush()
			return
		}
		pause := time.NewTimer(outputPause)
		select {
		case <-pause.C:
			o.flush()
		case <-o.end:
			pause.Stop()
			o.flush()
			return
		}
	}
}

func (o *output) flush() {
	o.mu.Lock()
	o.cut()
	chunks := o.ready
	o.ready = nil
	o.mu.Unlock()
	for _, chunk := range chunks {
		o.p.publish(o.ctx, o.call, event.New(event.CallOutput, chunk))
	}
}

func (o *output) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	close(o.end)
	o.done.Wait()
}
