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

// Buffer joins pieces of text so that at most one event per interval is published. The first piece goes out
// at once, because the wait for the first word is the one people notice.
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
func (m *Buffer) Add(s string) {
	if s == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending.WriteString(s)
	wait := interval - time.Since(m.last)
	if wait <= 0 {
		m.publishPending()
		return
	}
	if m.timer == nil {
		m.timer = time.AfterFunc(wait, m.onTimer)
	}
}

// Flush publishes what is pending without waiting for more.
func (m *Buffer) Flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.publishPending()
	}
}

func (m *Buffer) onTimer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer = nil
	if !m.closed {
		m.publishPending()
	}
}

// publishPending publishes what is pending; m.mu is held, which keeps pieces in order.
func (m *Buffer) publishPending() {
	if m.pending.Len() == 0 {
		return
	}
	if err := m.publish(m.pending.String()); err != nil && m.err == nil {
		m.err = fmt.Errorf("recording the answer: %w", err)
	}
	m.pending.Reset()
	m.last = time.Now()
}

// Close publishes the rest. Nothing is published after it returned.
func (m *Buffer) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.publishPending()
	m.closed = true
	if m.timer != nil {
		m.timer.Stop()
		m.timer = nil
	}
	return m.err
}
