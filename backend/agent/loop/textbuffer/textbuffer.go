// Package textbuffer joins the pieces of a streamed answer, so that not every token becomes an event.
package textbuffer

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// interval is how long pieces of text are collected before they are published.
const interval = 50 * time.Millisecond

// Buffer joins pieces of text so that at most one event per interval is published, except by Flush and Close. Safe for
// concurrent use.
type Buffer struct {
	publish func(string) error

	mu      sync.Mutex
	pending strings.Builder
	last    time.Time
	timer   *time.Timer
	closed  bool
	err     error
}

// New returns a Buffer that passes its text to publish.
func New(publish func(string) error) *Buffer { return &Buffer{publish: publish} }

// Add appends s.
func (b *Buffer) Add(s string) {
	if s == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending.WriteString(s)
	wait := interval - time.Since(b.last)
	if wait <= 0 {
		b.publishPending()
		return
	}
	if b.timer == nil {
		b.timer = time.AfterFunc(wait, b.onTimer)
	}
}

// Flush publishes the pending text at once.
func (b *Buffer) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.publishPending()
	}
}

func (b *Buffer) onTimer() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = nil
	if !b.closed {
		b.publishPending()
	}
}

// The caller holds b.mu, which keeps the pieces in order.
func (b *Buffer) publishPending() {
	if b.pending.Len() == 0 {
		return
	}
	if err := b.publish(b.pending.String()); err != nil && b.err == nil {
		b.err = fmt.Errorf("recording the answer: %w", err)
	}
	b.pending.Reset()
	b.last = time.Now()
}

// Close publishes the rest and returns the first error of publish. Nothing is published afterwards.
func (b *Buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publishPending()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	return b.err
}
