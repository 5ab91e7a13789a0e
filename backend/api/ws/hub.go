// Package ws serves the WebSockets: past events from a given number and then live ones, the live picture of the
// browser as binary frames, the person's input on that picture, questions about the page of a panel, and
// terminals.
//
// One connection is one window, or one program, which may only watch. The first message must be "hello" with a key;
// no event is sent before it.
package ws

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"sextant/backend/browser"
	"sextant/backend/store/eventlog"
	"sextant/shared/wire"
)

const (
	readLimit    = 1 << 20
	writeTimeout = 10 * time.Second
	helloTimeout = 10 * time.Second
	pingEvery    = 20 * time.Second
	pongTimeout  = 60 * time.Second
)

// Config configures a Hub and a TerminalServer.
type Config struct {
	Version string
	// CheckKey reports whether a key is valid, and whether it is a window's.
	CheckKey func(key string) (valid, window bool)
	// Allowed reports whether Host and Origin of an upgrade request are ours.
	Allowed func(*http.Request) bool
	Events  *eventlog.Recorder
	Browser *browser.Browser
	// TakenOver returns the browser of a run that the person has taken over, nil for any other session.
	TakenOver func(session string) *browser.Browser
	// GiveBack gives the page of such a run back, because nobody sees it any more.
	GiveBack func(session string)
	Log      *slog.Logger
}

// Hub serves /ws. Its methods may be called concurrently.
type Hub struct {
	cfg                  Config
	upgrader             websocket.Upgrader
	windows              atomic.Int64
	focusCount, askCount atomic.Int64

	mu     sync.Mutex
	conns  map[*conn]struct{}
	wait   sync.WaitGroup
	closed bool
}

// New makes a Hub.
func New(cfg Config) *Hub {
	h := &Hub{cfg: cfg, conns: map[*conn]struct{}{}}
	h.upgrader = websocket.Upgrader{
		ReadBufferSize: 16 << 10, WriteBufferSize: 64 << 10,
		CheckOrigin: func(r *http.Request) bool { return cfg.Allowed(r) },
	}
	return h
}

// HasWindow reports whether a window is connected.
func (h *Hub) HasWindow() bool { return h.windows.Load() > 0 }

// Close ends every connection and waits for its goroutines.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for c := range h.conns {
		c.cancel()
	}
	h.mu.Unlock()
	h.wait.Wait()
}

// ServeHTTP upgrades a request and serves the client until it disconnects.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	socket, err := h.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c := &conn{
		hub: h, socket: socket, ctx: ctx, cancel: cancel, out: make(chan wire.Envelope, 8),
		replaceLive: make(chan *browser.LiveReader, 1), inputs: inputQueue{wake: make(chan struct{}, 1)},
	}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		cancel()
		_ = socket.Close()
		return
	}
	h.conns[c] = struct{}{}
	h.wait.Add(1)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.conns, c)
		h.mu.Unlock()
		h.wait.Done()
	}()
	c.serve()
}

func envelope(kind string, data any) wire.Envelope {
	b, _ := json.Marshal(data) // plain types always marshal
	return wire.Envelope{V: wire.Version, Kind: kind, Time: time.Now().UTC(), Data: b}
}
